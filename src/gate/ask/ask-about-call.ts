/** Asks about a call: first the hooks that answer for the person, then every client that can answer. */

import type { PermissionAnswer, PermissionQuestion } from '../../protocol/permission.js';
import type { Asker } from '../asker.js';
import type { GateAnswer, GatedCall } from '../gated-call.js';
import type { SessionRules } from '../session-rules.js';
import type { Questions } from './questions.js';

export type AskingOptions = {
  readonly questions: Questions;
  readonly rules: SessionRules;
  readonly newId: () => string;
};

export async function askAboutCall(
  { questions, rules, newId }: AskingOptions,
  asker: Asker,
  call: GatedCall,
  reason: string,
  signal: AbortSignal,
): Promise<GateAnswer> {
  const byHook = await askHooks(asker, call, signal);
  if (byHook !== undefined) return byHook;
  const question = await describeCall(asker, call, reason, newId());
  const settlement = await questions.ask(question, asker, signal);
  if (settlement.kind === 'nobody') return nobodyToAsk(call, reason);
  if (settlement.kind === 'taken-back' || signal.aborted) {
    return { behavior: 'deny', by: 'interruption', reason: 'the person interrupted' };
  }
  const { answer } = settlement;
  if (answer.behavior !== 'allow') return denial(answer);
  if (answer.always !== undefined && question.suggestion !== undefined) {
    await keepRule(rules, asker, question.suggestion, answer.always);
  }
  return {
    behavior: 'allow',
    by: 'person',
    ...('updatedInput' in answer ? { updatedInput: answer.updatedInput } : {}),
  };
}

/** Returns undefined if no hook answers for the person. */
async function askHooks(asker: Asker, call: GatedCall, signal: AbortSignal): Promise<GateAnswer | undefined> {
  const fields = { tool_name: call.tool, tool_input: call.input, tool_use_id: call.id };
  const verdict = await asker.hooks.run('PermissionRequest', fields, { signal });
  for (const { level, hook, text } of verdict.messages) {
    await asker.tell({ kind: 'line-shown', level, line: `${hook}: ${text}` });
  }
  const { decision, reason = 'a hook denied it', updatedInput } = verdict;
  if (decision === 'deny') return { behavior: 'deny', by: 'hook', reason, interrupt: verdict.stop !== undefined };
  if (decision === 'allow') return { behavior: 'allow', by: 'hook', ...(updatedInput ? { updatedInput } : {}) };
  return undefined;
}

/** The code that describes a call is loaded with the first question, to keep it out of the start-up path. */
async function describeCall(asker: Asker, call: GatedCall, reason: string, id: string): Promise<PermissionQuestion> {
  const [{ suggestRule }, { destroys }] = await Promise.all([
    import('../permissions/suggest-rule.js'),
    import('../permissions/destroys.js'),
  ]);
  const suggestion = suggestRule({ ...call, cwd: asker.cwd });
  return {
    id,
    agent: { id: asker.id, type: asker.type, depth: asker.depth },
    call: { id: call.id, tool: call.tool, input: call.input },
    cwd: asker.cwd,
    reason,
    destroys: call.actions.flatMap((action) => (action.kind === 'shell' ? destroys(action.command) : [])),
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

async function keepRule(rules: SessionRules, asker: Asker, rule: string, where: 'session' | 'local'): Promise<void> {
  const notSaved = await rules.allow(rule, where);
  if (notSaved === undefined) return;
  const line = `the rule applies to this session but was not saved: ${notSaved}`;
  await asker.tell({ kind: 'line-shown', level: 'warning', line });
}

function denial({ reason, interrupt }: PermissionAnswer & { readonly behavior: 'deny' }): GateAnswer {
  return {
    behavior: 'deny',
    by: 'person',
    reason: reason ? `the person said no: ${reason}` : 'the person said no',
    ...(interrupt ? { interrupt: true } : {}),
  };
}

function nobodyToAsk(call: GatedCall, reason: string): GateAnswer {
  return {
    behavior: 'deny',
    by: 'nobody to ask',
    reason:
      `${call.tool} needs the person's permission (${reason}), and nobody can be asked in this run. ` +
      'Continue without it, or say in your answer what you need: it can be allowed with --allowedTools, ' +
      '--permission-mode or a rule in the settings.',
  };
}
