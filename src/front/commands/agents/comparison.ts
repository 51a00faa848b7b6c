/** Collects the results of several agents, to show them side by side (TU-31). */

import type { Result } from '../../../protocol/result.js';
import type { Session } from '../../sdk/session.js';
import type { AgentSnapshot } from '../../view/snapshots.js';

export type ComparedAgent = {
  readonly snapshot: AgentSnapshot;
  /** Shown to the user. */
  readonly label: string;
  /** Undefined while it runs. */
  readonly result: string | undefined;
  /** Changed paths: absolute, or relative to the top of its worktree. */
  readonly files: readonly string[];
  /** The name of its worktree. */
  readonly worktree: string | undefined;
  /** The diffstat of its worktree. */
  readonly stat: string | undefined;
  /** The diff of its worktree. */
  readonly diff: string | undefined;
  /** Why the changes in its worktree can't be shown. */
  readonly reason: string | undefined;
};

export type Comparison = Result<{
  readonly agents: readonly ComparedAgent[];
  /** Files changed by more than one agent. */
  readonly shared: readonly { readonly path: string; readonly by: readonly string[] }[];
}>;

/** Compares the named agents; without names, all children of the main agent. */
export async function comparisonOf(session: Session, wanted: readonly string[]): Promise<Comparison> {
  const children = session.snapshot().filter(({ parent }) => parent !== undefined);
  const chosen = wanted.length === 0 ? children.filter(({ depth }) => depth === 1) : findAll(children, wanted);
  if (typeof chosen === 'string') return { ok: false, reason: chosen };
  if (chosen.length === 0) return { ok: false, reason: 'No agents to compare yet.' };
  const reported = await session.execute({ type: 'agent-work', agents: chosen.map(({ id }) => id) });
  if (!reported.ok) return reported;
  const work = new Map(reported.work.map((one) => [one.agent, one]));
  const agents: ComparedAgent[] = [];
  for (const snapshot of chosen) {
    const { result, files = [], worktree } = work.get(snapshot.id) ?? {};
    // A removed worktree had no changes.
    const exists = worktree !== undefined && snapshot.worktree !== undefined;
    const made = exists ? await readWorktree(session, worktree) : undefined;
    agents.push({
      snapshot,
      label: labelOf(snapshot),
      result,
      files: made?.files ?? (worktree === undefined ? files : []),
      worktree: exists ? worktree : undefined,
      stat: made?.stat,
      diff: made?.diff,
      reason: made?.reason,
    });
  }
  return { ok: true, agents, shared: sharedBy(agents, session.cwd) };
}

function findAll(children: readonly AgentSnapshot[], wanted: readonly string[]): readonly AgentSnapshot[] | string {
  const unknown = wanted.filter((id) => !children.some((child) => child.id === id));
  if (unknown.length > 0) return `Unknown agent ${unknown.join(', ')}. /tasks all lists all agents.`;
  return [...new Set(wanted)].flatMap((id) => children.find((child) => child.id === id) ?? []);
}

function labelOf({ id, name, type }: AgentSnapshot): string {
  return `${name ?? type} (${id.slice(0, 8)})`;
}

type WorktreeChanges = {
  readonly files: readonly string[];
  readonly stat?: string;
  readonly diff?: string;
  readonly reason?: string;
};

async function readWorktree(session: Session, worktree: string): Promise<WorktreeChanges> {
  const [stat, diff] = [
    await session.execute({ type: 'diff', worktree, stat: true }),
    await session.execute({ type: 'diff', worktree }),
  ];
  if (!stat.ok) return { files: [], reason: stat.reason };
  if (!diff.ok) return { files: [], reason: diff.reason };
  return { files: filesIn(diff.diff), stat: stat.diff, diff: diff.diff };
}

/** Names that git quotes stay quoted: they are only compared and shown. */
function filesIn(diff: string): readonly string[] {
  return [...diff.matchAll(/^diff --git (?:"?a\/.*?"?) ("?b\/.*"?)$/gm)].map(([, path = '']) =>
    path.replace(/^("?)b\//, '$1'),
  );
}

function sharedBy(agents: readonly ComparedAgent[], cwd: string) {
  const by = new Map<string, Set<string>>();
  for (const { label, files } of agents) {
    for (const file of files) {
      // Match a file of the session's checkout with the same file in a worktree.
      const path = file.startsWith(`${cwd}/`) ? file.slice(cwd.length + 1) : file;
      by.set(path, (by.get(path) ?? new Set()).add(label));
    }
  }
  return [...by].filter(([, who]) => who.size > 1).map(([path, who]) => ({ path, by: [...who] }));
}
