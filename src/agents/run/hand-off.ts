/** The hand-off check: a command of the person that looks for unsafe actions in a finished child's transcript. */

import { newAbort } from '../../host/clock.js';
import type { Host } from '../../host/host.js';
import type { Runtime } from '../runtime.js';

const TIMEOUT_MS = 120_000;
const MAX_WARNING = 2_000;

export type HandOff =
  | { readonly kind: 'content' }
  | { readonly kind: 'warned'; readonly line: string }
  /** The session is closing: there is no verdict. */
  | { readonly kind: 'cut-short' };

/** What the check needs of an agent, live or ended. */
export type HandedOff = {
  readonly id: string;
  readonly type: string;
  readonly host: Host;
  leaving?: AbortController | undefined;
};

export async function handOffWarning(runtime: Runtime, agent: HandedOff): Promise<HandOff> {
  const command = runtime.settings.handoffCheck;
  if (command === undefined || command.trim() === '') return { kind: 'content' };
  if (runtime.isClosing) return { kind: 'cut-short' };
  const input = JSON.stringify({
    session_id: runtime.session,
    agent_id: agent.id,
    agent_type: agent.type,
    transcript_path: runtime.layout.agentFile(agent.id),
    cwd: agent.host.folder,
  });
  const leaving = newAbort();
  agent.leaving = leaving;
  const end = await runtime.host.processes.run({
    file: '/bin/sh',
    args: ['-c', command],
    cwd: runtime.host.folder,
    env: runtime.host.env,
    input,
    timeoutMs: TIMEOUT_MS,
    maxBytes: 64 * 1024,
    signal: leaving.signal,
  });
  agent.leaving = undefined;
  if (leaving.signal.aborted) return { kind: 'cut-short' };
  const said = end.stdout.toString('utf8').trim().slice(0, MAX_WARNING).toWellFormed();
  if (end.code === 0) return said === '' ? { kind: 'content' } : { kind: 'warned', line: said };
  const reason = end.timedOut ? 'it took too long' : (end.error?.message ?? `exit ${end.code ?? end.signal}`);
  // A check that fails is not a pass.
  return { kind: 'warned', line: `the check itself failed (${reason})${said === '' ? '' : `: ${said}`}` };
}
