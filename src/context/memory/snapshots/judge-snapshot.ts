/** Decides about a snapshot at the start of an agent: the table of ME-4. Pure; never decides to overwrite. */

/** A time stamp as found. */
export type Stamp =
  | { readonly kind: 'absent' }
  | { readonly kind: 'time'; readonly text: string; readonly ms: number }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** `ask`: the user decides whether it is taken. `current`: nothing to do. */
export type SnapshotState = 'none' | 'initialise' | 'ask' | 'current';

export type SnapshotFacts = {
  /** Of the team's snapshot. */
  readonly updatedAt: Stamp;
  /** Of the local folder. */
  readonly syncedFrom: Stamp;
  /** True if the local folder has an .md file. */
  readonly hasLocal: boolean;
  readonly now: number;
};

export type SnapshotJudgement = { readonly state: SnapshotState /** Messages for the user. */; readonly why: string };

export function judgeSnapshot({ updatedAt, syncedFrom, hasLocal, now }: SnapshotFacts): SnapshotJudgement {
  if (updatedAt.kind === 'absent') return { state: 'none', why: 'there is no snapshot' };
  if (updatedAt.kind === 'unreadable') {
    return { state: 'ask', why: `the time of the snapshot can't be read: ${updatedAt.reason}` };
  }
  const isSame = syncedFrom.kind === 'time' && syncedFrom.text === updatedAt.text;
  if (syncedFrom.kind === 'unreadable') {
    return { state: 'ask', why: `which snapshot was taken last can't be read: ${syncedFrom.reason}` };
  }
  if (syncedFrom.kind === 'time' && !isSame && isAbsurd(syncedFrom.ms, now)) {
    return { state: 'ask', why: `the last snapshot was taken from ${syncedFrom.text}, which is in the future` };
  }
  if (!hasLocal) return { state: 'initialise', why: 'there is a snapshot and no memory yet' };
  if (syncedFrom.kind === 'absent') return { state: 'ask', why: 'which snapshot was taken last is not known' };
  if (isSame) return { state: 'current', why: 'this snapshot was taken or declined' };
  if (updatedAt.ms > syncedFrom.ms) {
    return { state: 'ask', why: `the snapshot of ${updatedAt.text} is newer than that of ${syncedFrom.text}` };
  }
  return { state: 'current', why: 'a snapshot of that time or a later one was taken or declined' };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Clocks of a team differ by minutes: a time a day ahead is a mistake, and must not win for ever (failures 24). */
export function isAbsurd(ms: number, now: number): boolean {
  return ms > now + DAY_MS;
}
