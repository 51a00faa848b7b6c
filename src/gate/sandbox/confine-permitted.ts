/** Chooses how a permitted command runs: with which limits, and in which environment. */

import { safeGitEnvironment } from '../../host/git/git-environment.js';
import type { Host } from '../../host/host.js';
import type { ProcessCommand } from '../../host/processes.js';
import type { AgentWorktree } from '../../protocol/events.js';
import type { RunProfile } from '../../protocol/permission.js';
import { readingEnvironment, refreshIndex } from './reading-environment.js';
import type { Confined, Grant, Sandbox, View } from './sandbox.js';

/** The way a call was permitted, as far as it matters for running it. */
export type Permitted = {
  /** Absent: as it is, because a person allowed it. */
  readonly run?: RunProfile;
  /** What the gate prepared for it. */
  readonly box?: View;
};

export type Confinement = {
  readonly sandbox: Sandbox;
  /** The setting `sandbox`, for commands that a user or a rule permitted. */
  readonly mode: 'off' | 'auto' | 'required';
  /** The setting `confineReads`. Off: there is no sandbox for other commands. */
  readonly confines: boolean;
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
  { sandbox, mode, confines }: Confinement,
  { host, roots, trusted, worktree }: PermittedPlace,
  command: ProcessCommand,
  { run, box: view, grant = {} }: Permitted & { readonly grant?: Grant | undefined },
): Promise<Confined> {
  const place = { roots, worktree, view };
  switch (run?.kind) {
    case 'reading': {
      const { show, wholeGit, blindTo } = run;
      const profile = { kind: 'reading', show, ...(wholeGit ? { wholeGit } : {}) } as const;
      return addNote(await sandbox.confine(command, profile, place), blindTo);
    }
    case 'working':
      return sandbox.confine(command, { kind: 'working', show: run.show, git: run.git === true }, place);
    case 'ruled':
    case 'proven':
    case undefined:
      break;
    default:
      return run satisfies never;
  }
  const started = { ...command, env: environmentFor(host, command, run, { roots, trusted }) };
  if (run?.kind === 'proven') for (const cwd of run.refresh) await refreshIndex(host, { ...started, cwd }, roots);
  if (mode === 'required') {
    const status = await sandbox.status();
    if (status.kind === 'unavailable') return { ok: false, reason: refusal(status.reason) };
    if (status.confines === 'reads') return { ok: false, reason: refusal('on this system it is only for reading') };
  }
  if (mode !== 'off') return sandbox.confine(started, { kind: 'sandboxed', grant }, place);
  if (run?.kind === 'ruled' && confines)
    return sandbox.confine(started, { kind: 'ruled', containers: run.containers === true }, place);
  return { ok: true, isConfined: false, command: started, explain: () => undefined, finish: async () => [] };
}

/** Tells what the answer leaves out, whatever the command's exit code. */
function addNote(confined: Confined, blindTo: readonly string[] = []): Confined {
  if (!confined.ok || blindTo.length === 0) return confined;
  const note = `it ran confined and could not see ${blindTo.join(', ')}; with unconfined: true it can, and the user is asked`;
  return { ...confined, finish: async (exit) => [...(await confined.finish(exit)), note] };
}

function environmentFor(
  host: Host,
  { env }: ProcessCommand,
  run: RunProfile | undefined,
  { roots, trusted }: Pick<PermittedPlace, 'roots' | 'trusted'>,
): ProcessCommand['env'] {
  if (run?.kind === 'proven') return readingEnvironment(host, env, { roots, trusted });
  if (run?.kind === 'ruled' && run.programs === 'off') return safeGitEnvironment(env, [], { trusted: false });
  return env;
}

function refusal(reason: string): string {
  return `Commands must run in a sandbox here ("sandbox": "required"), and there is none: ${reason}. Nothing was run. Other tools still work; the user can fix it (coppice doctor) or change the setting.`;
}
