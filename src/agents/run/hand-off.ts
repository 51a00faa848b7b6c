/** The hand-off check: a command of the user, or a model, checks a finished child's transcript for unsafe actions. */

import { newAbort } from '../../host/clock.js';
import type { Host } from '../../host/host.js';
import { processEnvironment } from '../../host/programs/process-environment.js';
import { modelData } from '../../model/models.js';
import type { SideRequest } from '../../protocol/events.js';
import type { Runtime } from '../runtime.js';
import { checkTranscript } from './check-transcript.js';

const TIMEOUT_MS = 120_000;
const MAX_WARNING = 2_000;

export type HandOff =
  | { readonly kind: 'content'; readonly paid?: SideRequest }
  | { readonly kind: 'warned'; readonly line: string; readonly paid?: SideRequest }
  /** The session is closing, so there is no verdict. */
  | { readonly kind: 'cut-short' };

/** The facts about an agent, live or ended, that the check needs. */
export type HandedOff = {
  readonly id: string;
  readonly type: string;
  readonly chain: string;
  readonly depth: number;
  readonly host: Host;
  leaving?: AbortController | undefined;
};

export async function handOffWarning(runtime: Runtime, agent: HandedOff): Promise<HandOff> {
  const check = runtime.settings.handoffCheck;
  if (check === undefined) return { kind: 'content' };
  if (runtime.isClosing) return { kind: 'cut-short' };
  const leaving = newAbort();
  agent.leaving = leaving;
  const verdict =
    'model' in check
      ? await checkByModel(runtime, agent, check.model, leaving.signal)
      : await checkByCommand(runtime, agent, check.command, leaving.signal);
  agent.leaving = undefined;
  return leaving.signal.aborted ? { kind: 'cut-short' } : verdict;
}

async function checkByModel(runtime: Runtime, agent: HandedOff, model: string, signal: AbortSignal): Promise<HandOff> {
  const data = modelData(model, runtime.models);
  const late = newAbort();
  const cancel = runtime.host.clock.after(TIMEOUT_MS, () => late.abort());
  const either = AbortSignal.any([signal, late.signal]);
  const { warning, paid: used } = await checkTranscript(runtime, agent, { model, context: data.context }, either);
  cancel();
  const paid = used === undefined ? {} : { paid: used };
  if (warning === undefined) return { kind: 'content', ...paid };
  return { kind: 'warned', line: warning.slice(0, MAX_WARNING).toWellFormed(), ...paid };
}

async function checkByCommand(
  runtime: Runtime,
  agent: HandedOff,
  command: string,
  signal: AbortSignal,
): Promise<HandOff> {
  const input = JSON.stringify({
    session_id: runtime.session,
    agent_id: agent.id,
    agent_type: agent.type,
    transcript_path: runtime.layout.agentFile(agent.id),
    cwd: agent.host.folder,
  });
  const end = await runtime.host.processes.run({
    file: '/bin/sh',
    args: ['-c', command],
    cwd: runtime.host.folder,
    env: processEnvironment(runtime.host, 'command'),
    input,
    timeoutMs: TIMEOUT_MS,
    maxBytes: 64 * 1024,
    signal,
  });
  const output = end.stdout.toString('utf8').trim().slice(0, MAX_WARNING).toWellFormed();
  if (end.code === 0) return output === '' ? { kind: 'content' } : { kind: 'warned', line: output };
  const reason = end.timedOut ? 'it took too long' : (end.error?.message ?? `exit ${end.code ?? end.signal}`);
  // A check that fails does not pass.
  return { kind: 'warned', line: `the check itself failed (${reason})${output === '' ? '' : `: ${output}`}` };
}
