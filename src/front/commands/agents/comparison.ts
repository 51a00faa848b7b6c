/** What several agents of a session came to, put together for whoever shows them beside each other (TU-31). */

import type { Result } from '../../../protocol/result.js';
import type { Session } from '../../sdk/session.js';
import type { AgentSnapshot } from '../../view/snapshots.js';

export type ComparedAgent = {
  readonly snapshot: AgentSnapshot;
  /** What people call it. */
  readonly label: string;
  /** What it ended with; undefined while it works. */
  readonly result: string | undefined;
  /** Paths that it changed: absolute, or of its worktree relative to its top. */
  readonly files: readonly string[];
  /** The name of its worktree. */
  readonly worktree: string | undefined;
  /** Of a worktree: which files, and how much. */
  readonly stat: string | undefined;
  /** Of a worktree: what was made there, as git shows it. */
  readonly diff: string | undefined;
  /** Why what is in its worktree can't be shown. */
  readonly reason: string | undefined;
};

export type Comparison = Result<{
  readonly agents: readonly ComparedAgent[];
  /** Files that more than one has changed. */
  readonly shared: readonly { readonly path: string; readonly by: readonly string[] }[];
}>;

/** Without names: all children of the main agent that have worked. */
export async function comparisonOf(session: Session, wanted: readonly string[]): Promise<Comparison> {
  const children = session.snapshot().filter(({ parent }) => parent !== undefined);
  const chosen = wanted.length === 0 ? children.filter(({ depth }) => depth === 1) : findAll(children, wanted);
  if (typeof chosen === 'string') return { ok: false, reason: chosen };
  if (chosen.length === 0) return { ok: false, reason: 'There are no agents to compare yet.' };
  const reported = await session.execute({ type: 'agent-work', agents: chosen.map(({ id }) => id) });
  if (!reported.ok) return reported;
  const work = new Map(reported.work.map((one) => [one.agent, one]));
  const agents: ComparedAgent[] = [];
  for (const snapshot of chosen) {
    const { result, files = [], worktree } = work.get(snapshot.id) ?? {};
    // One that is gone had nothing in it.
    const isThere = worktree !== undefined && snapshot.worktree !== undefined;
    const made = isThere ? await readWorktree(session, worktree) : undefined;
    agents.push({
      snapshot,
      label: labelOf(snapshot),
      result,
      files: made?.files ?? (worktree === undefined ? files : []),
      worktree: isThere ? worktree : undefined,
      stat: made?.stat,
      diff: made?.diff,
      reason: made?.reason,
    });
  }
  return { ok: true, agents, shared: sharedBy(agents, session.cwd) };
}

function findAll(children: readonly AgentSnapshot[], wanted: readonly string[]): readonly AgentSnapshot[] | string {
  const unknown = wanted.filter((id) => !children.some((child) => child.id === id));
  if (unknown.length > 0) return `There is no agent ${unknown.join(', ')}; /tasks all lists them.`;
  return [...new Set(wanted)].flatMap((id) => children.find((child) => child.id === id) ?? []);
}

function labelOf({ id, name, type }: AgentSnapshot): string {
  return `${name ?? type} (${id.slice(0, 8)})`;
}

type Made = {
  readonly files: readonly string[];
  readonly stat?: string;
  readonly diff?: string;
  readonly reason?: string;
};

async function readWorktree(session: Session, worktree: string): Promise<Made> {
  const [stat, diff] = [
    await session.execute({ type: 'diff', worktree, stat: true }),
    await session.execute({ type: 'diff', worktree }),
  ];
  if (!stat.ok) return { files: [], reason: stat.reason };
  if (!diff.ok) return { files: [], reason: diff.reason };
  return { files: filesIn(diff.diff), stat: stat.diff, diff: diff.diff };
}

/** Names that git had to quote stay quoted: they are compared, and shown. */
function filesIn(diff: string): readonly string[] {
  return [...diff.matchAll(/^diff --git (?:"?a\/.*?"?) ("?b\/.*"?)$/gm)].map(([, path = '']) =>
    path.replace(/^("?)b\//, '$1'),
  );
}

function sharedBy(agents: readonly ComparedAgent[], cwd: string) {
  const by = new Map<string, Set<string>>();
  for (const { label, files } of agents) {
    for (const file of files) {
      // The same file, in the session's checkout and in a worktree of it.
      const path = file.startsWith(`${cwd}/`) ? file.slice(cwd.length + 1) : file;
      by.set(path, (by.get(path) ?? new Set()).add(label));
    }
  }
  return [...by].filter(([, who]) => who.size > 1).map(([path, who]) => ({ path, by: [...who] }));
}
