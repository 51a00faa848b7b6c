/** Chooses how a permitted command runs: in the read-only sandbox, with other programs off, or in the sandbox. */

import type { Host } from '../../host/host.js';
import type { ProcessCommand } from '../../host/processes.js';
import type { AgentWorktree } from '../../protocol/events.js';
import type { RunProfile } from '../../protocol/permission.js';
import type { BoxedCommand, PreparedBox, ReadingBox } from '../box/reading-box.js';
import { readingEnvironment, refreshIndex } from '../box/reading-environment.js';
import type { Grant } from '../sandbox/confinement.js';
import type { Sandbox } from '../sandbox/sandbox.js';

/** The way a call was permitted, as far as it matters for running it. */
export type Permitted = {
  /** Absent: as it is, because a person allowed it. */
  readonly run?: RunProfile;
  /** The sandbox it was judged for. */
  readonly box?: PreparedBox;
};

export type Confinement = {
  /** For commands that a user or a rule permitted; undefined if it is off. */
  readonly sandbox: Sandbox | undefined;
  /** For commands that run because they only read. */
  readonly box: ReadingBox;
};

export type PermittedPlace = {
  readonly host: Host;
  /** The folders its agent works in. */
  readonly roots: readonly string[];
  /** Our worktree that its agent works in. */
  readonly worktree?: AgentWorktree | undefined;
  /** True if the user trusts the session's folder. */
  readonly trusted: boolean;
};

export async function confinePermitted(
  { sandbox, box }: Confinement,
  { host, roots, trusted, worktree }: PermittedPlace,
  command: ProcessCommand,
  { run, box: prepared, grant }: Permitted & { readonly grant?: Grant | undefined },
): Promise<BoxedCommand> {
  if (run?.kind === 'reading') {
    if (prepared !== undefined) return box.confine(command, prepared, run.show);
    return { ok: false, reason: 'The command was not run: the box it was permitted for was not prepared.' };
  }
  const proven = run?.kind === 'proven' ? run : undefined;
  const env = proven === undefined ? command.env : readingEnvironment(command.env, { roots, trusted });
  const started = { ...command, env };
  for (const cwd of proven?.refresh ?? []) await refreshIndex(host, { ...started, cwd });
  if (sandbox !== undefined) {
    const git = worktree?.git && { worktree: { ...worktree.git, branch: worktree.branch } };
    return sandbox.confine(started, { roots, ...git, ...(grant ? { grant } : {}) });
  }
  return { ok: true, command: started, explain: () => undefined, finish: async () => [] };
}
