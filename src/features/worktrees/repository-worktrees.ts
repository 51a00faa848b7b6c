/**
 * The worktrees of a repository, for a session's client or a subcommand: resolves a name and lists, shows, applies or
 * removes the worktree (WT-12). Loaded on first use.
 */

import type { Hooks } from '../../gate/hooks/hooks.js';
import { type Checkout, findCheckout } from '../../host/git/checkout.js';
import type { Host } from '../../host/host.js';
import { type Applied, applyWorktree } from '../../host/worktrees/apply-worktree.js';
import { diffWorktree, type WorktreeDiff } from '../../host/worktrees/diff-worktree.js';
import { listWorktrees, type WorktreeList } from '../../host/worktrees/list-worktrees.js';
import { removeWorktree } from '../../host/worktrees/remove-worktree.js';
import { isWorktreeName, NAME_RULE, openRecords, type WorktreeRecord } from '../../host/worktrees/worktree-record.js';
import { type Failure, fail, type Result } from '../../protocol/result.js';
import { nearestNames } from '../../tools/nearest-names.js';

export type WorktreesScope = {
  /** In the folder in question. */
  readonly host: Host;
  readonly trusted: boolean;
  /** The folder for records that belong to no git repository. */
  readonly records: string;
  /** Agents whose names can be used in place of a worktree's. */
  readonly agents: readonly KnownAgent[];
  readonly hooks: Pick<Hooks, 'has' | 'run'>;
};

export type KnownAgent = { readonly id: string; readonly name?: string; readonly worktree?: string };

/** `name`: the resolved worktree. */
export type Named<T> = T & { readonly name?: string };

/** `at`: the time of the listing, in milliseconds since 1970. */
export type ListedWorktrees = Result<{ readonly at: number } & WorktreeList>;

export type RemovedWorktree =
  | { readonly ok: true; readonly notes: readonly string[] }
  /** `reasons`: its contents, or each obstacle. */
  | (Failure & { readonly reasons?: readonly string[] });

export async function listHere(place: WorktreesScope): Promise<ListedWorktrees> {
  const found = await openPlace(place);
  if (!found.ok) return found;
  return { ok: true, at: place.host.clock.now(), ...(await listWorktrees(place.host, found.checkout)) };
}

export function applyHere(place: WorktreesScope, requested: string): Promise<Named<Applied>> {
  return withNamed(place, requested, ({ name }, checkout) => applyWorktree(place.host, checkout, name));
}

export function diffHere(
  place: WorktreesScope,
  requested: string,
  options: { readonly stat?: boolean },
): Promise<Named<WorktreeDiff>> {
  return withNamed(place, requested, ({ name }, checkout) => diffWorktree(place.host, checkout, name, options));
}

export function removeHere(
  place: WorktreesScope,
  requested: string,
  { discard = false }: { readonly discard?: boolean | undefined },
): Promise<Named<RemovedWorktree>> {
  return withNamed(place, requested, async ({ name, path }, checkout): Promise<RemovedWorktree> => {
    const hookNotes: string[] = [];
    const hook = removalHook(place, hookNotes);
    const removal = await removeWorktree(place.host, checkout, name, { discard, ...(hook ? { hook } : {}) });
    switch (removal.kind) {
      case 'removed':
        return { ok: true, notes: hookNotes };
      case 'gone': {
        if (removal.note !== undefined) return { ok: false, reason: removal.note };
        return { ok: true, notes: [...hookNotes, `its folder ${path} was gone already`] };
      }
      case 'kept':
        return { ok: false, reason: `worktree ${name} was not removed`, reasons: [...removal.reasons, ...hookNotes] };
    }
  });
}

/** Notified before git removes a worktree; performs the removal of one created by a hook. */
function removalHook({ hooks }: WorktreesScope, hookNotes: string[]) {
  if (!hooks.has('WorktreeRemove')) return undefined;
  return async (path: string) => {
    const { messages } = await hooks.run('WorktreeRemove', { worktree_path: path });
    hookNotes.push(...messages.map(({ hook, text }) => `${hook}: ${text}`));
    const failed = messages.filter(({ level }) => level !== 'info').map(({ text }) => text);
    return failed.length === 0 ? { ok: true } : { ok: false, reason: failed.join('; ') };
  };
}

async function withNamed<T extends { readonly ok: boolean }>(
  place: WorktreesScope,
  requested: string,
  work: (record: WorktreeRecord, checkout: Checkout) => Promise<T>,
): Promise<Named<T | Failure>> {
  const found = await openPlace(place);
  if (!found.ok) return found;
  const { records } = await openRecords(place.host, found.checkout.commonDir).list();
  const resolved = resolveName(place, records, requested);
  if (!resolved.ok) return resolved;
  return { ...(await work(resolved.record, found.checkout)), name: resolved.record.name };
}

type Meant = Result<{ readonly record: WorktreeRecord }>;

/** Matches its name, its agent's id or name, or a unique prefix of an id. */
function resolveName({ agents }: WorktreesScope, records: readonly WorktreeRecord[], requested: string): Meant {
  const byName = (name: string | undefined) => records.find((record) => record.name === name);
  const exact = byName(requested);
  if (exact !== undefined) return { ok: true, record: exact };
  const begin = requested === '' ? [] : agents.filter(({ id }) => id.startsWith(requested));
  const named = agents.find(({ id }) => id === requested) ?? agents.findLast(({ name }) => name === requested);
  const own = byName(named?.worktree);
  if (own !== undefined) return { ok: true, record: own };
  const begun = records.filter(({ name, owner }) => {
    const isOwners = requested !== '' && owner.agent?.startsWith(requested) === true;
    return isOwners || begin.some(({ worktree }) => worktree === name);
  });
  const [only] = begun;
  if (only !== undefined && begun.length === 1) return { ok: true, record: only };
  if (begun.length > 1) return fail(`${requested} may be any of ${nameSome(begun.map(nameOf))}`);
  const agent = named ?? (begin.length === 1 ? begin[0] : undefined);
  if (agent !== undefined) {
    const why = agent.worktree === undefined ? 'does not work in a worktree' : `has none any more (${agent.worktree})`;
    return fail(`agent ${agent.id} ${why}`);
  }
  if (!isWorktreeName(requested)) {
    return fail(`${JSON.stringify(requested)} can't be the name of a worktree: ${NAME_RULE}`);
  }
  const near = nearestNames(requested, records.map(nameOf));
  const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : nameAll(records.map(nameOf));
  return fail(`there is no worktree ${requested}, and no agent of that name with one; ${hint}`);
}

function nameOf({ name }: WorktreeRecord): string {
  return name;
}

function nameAll(names: readonly string[]): string {
  return names.length === 0 ? 'there are none here' : `there are: ${nameSome(names)}`;
}

function nameSome(names: readonly string[]): string {
  return names.length <= MOST_NAMED ? names.join(', ') : `${names.slice(0, MOST_NAMED).join(', ')} …`;
}

const MOST_NAMED = 8;

type OpenedPlace = Result<{ readonly checkout: Checkout }>;

/** Outside git, there can only be worktrees created by hooks. */
async function openPlace({ host, trusted, records }: WorktreesScope): Promise<OpenedPlace> {
  const found = await findCheckout(host, host.folder, { trusted });
  if (found.ok) return found;
  const made = await openRecords(host, records).list();
  if (made.records.length === 0) return found;
  const git = async () => ({ ok: false, code: null, stdout: Buffer.alloc(0), text: '', reason: found.reason });
  return { ok: true, checkout: { git, top: host.folder, prefix: '', gitDir: records, commonDir: records, trusted } };
}
