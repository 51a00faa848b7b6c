/** Hooks at the end of a run: `Stop` for the main agent, `SubagentStop` for a child. */

import { showHooks } from '../gate/hooks/hooks.js';
import type { Agent } from './agent.js';
import type { Run } from './run.js';

/** The hooks' answer to an agent that is done. */
export type Objection = { readonly keepGoing?: string; readonly stop?: string };

export async function hooksAtStop(
  run: Pick<Run, 'agent' | 'signal'>,
  lastText: string,
  active: boolean,
): Promise<Objection> {
  const { agent, signal } = run;
  const fields = { stop_hook_active: active, last_assistant_message: lastText };
  const verdict =
    agent.depth === 0
      ? await agent.hooks.run('Stop', fields, { signal })
      : await agent.hooks.run('SubagentStop', { ...fields, ...childFields(agent, 'completed') }, { signal });
  await showHooks(run, verdict);
  if (verdict.stop !== undefined) return { stop: verdict.stop };
  return verdict.decision === 'deny' ? { keepGoing: verdict.reason ?? 'A hook asks you to go on.' } : {};
}

/** Notifies the hooks of a child's end that they can't prevent: a limit, a refusal, a failure, a stop. */
export async function notifyStopHooks(
  agent: Agent,
  reason: string,
  lastText: string,
  signal: AbortSignal,
): Promise<void> {
  const fields = { stop_hook_active: false, last_assistant_message: lastText, ...childFields(agent, reason) };
  const verdict = await showHooks({ agent }, await agent.hooks.run('SubagentStop', fields, { signal }));
  if (verdict.decision !== 'deny' || signal.aborted) return;
  const line = `a SubagentStop hook can't keep ${agent.id} going, its run has ended (${reason}): ${verdict.reason ?? 'no reason given'}`;
  await agent.emit({ kind: 'line-shown', level: 'warning', line });
}

function childFields({ id, type, transcript }: Agent, reason: string) {
  return { agent_id: id, agent_type: type, agent_transcript_path: transcript, reason };
}
