/** Asks the user about a plan. A yes applies to this text and this call; nothing else ends plan mode (EX-15). */

import { createHash } from 'node:crypto';
import type { PermissionAnswer, PermissionQuestion } from '../../protocol/permission.js';
import { namedInput } from '../../protocol/tools/built-in-tools.js';
import type { AcceptedPlan, AskReason, GateAnswer, GatedCall } from '../gated-call.js';
import type { Requester } from '../requester.js';
import { describeRequester, type Questions } from './questions.js';

export type PlanOptions = {
  readonly questions: Questions;
  readonly newId: () => string;
  readonly plans: { accept(plan: AcceptedPlan): void } | undefined;
};

export async function askAboutPlan(
  { questions, newId, plans }: PlanOptions,
  requester: Requester,
  call: GatedCall,
  { reason }: AskReason,
  signal: AbortSignal,
): Promise<GateAnswer> {
  const shown = textOf(call.input, 'plan') ?? '';
  const question: PermissionQuestion = {
    id: newId(),
    about: 'plan',
    plan: { text: shown, file: textOf(call.input, 'planFilePath') ?? '' },
    agent: describeRequester(requester),
    call: { id: call.id, ...namedInput(call.tool, call.input) },
    cwd: requester.cwd,
    reason,
    destroys: [],
    offers: [{ kind: 'mode', mode: 'acceptEdits' }],
  };
  const settlement = await questions.ask(question, requester, signal);
  if (settlement.kind === 'nobody' && settlement.left !== true) {
    return { behavior: 'deny', by: 'nobody to ask', reason: PLAN_IS_RESULT, conclusion: shown };
  }
  if (settlement.kind === 'taken-back' || signal.aborted) {
    return { behavior: 'deny', by: 'interruption', reason: 'the person interrupted' };
  }
  if (settlement.kind === 'nobody') return { behavior: 'deny', by: 'nobody to ask', reason: NOBODY_LEFT };
  const { answer } = settlement;
  if (answer.behavior !== 'allow') return keepPlanning(answer);
  // A client that does not return the plan has not changed it.
  const plan = textOf(answer.updatedInput, 'plan') ?? shown;
  if (plan.trim() === '') {
    return { behavior: 'deny', by: 'person', reason: `the plan came back without a text. ${GO_ON}` };
  }
  plans?.accept({
    call: call.id,
    sha256: hashPlan(plan),
    isEdited: plan !== shown,
    mode: isModeChosen(answer) ? 'acceptEdits' : 'default',
  });
  return { behavior: 'allow', by: 'person', ...(plan === shown ? {} : { updatedInput: { plan }, isTheirs: true }) };
}

export function hashPlan(plan: string): string {
  return createHash('sha256').update(plan).digest('hex');
}

const GO_ON = 'Plan mode goes on: nothing may be changed. Work on the plan, then call ExitPlanMode again.';
const NOBODY_LEFT = 'nobody is there any more to look at the plan. Plan mode goes on: nothing may be changed.';
const PLAN_IS_RESULT =
  'Nobody can be asked in this run, so nobody has looked at the plan. The run ends here, with the plan as its result. Plan mode goes on: nothing may be changed.';

/** Returns the user's comment to the model as written. */
function keepPlanning({ reason, interrupt }: PermissionAnswer & { readonly behavior: 'deny' }): GateAnswer {
  const remark = reason?.trim();
  const said = remark
    ? `the person wants to go on planning, and says:\n${remark}\n`
    : 'the person did not take the plan. ';
  return { behavior: 'deny', by: 'person', reason: `${said}${GO_ON}`, ...(interrupt ? { interrupt: true } : {}) };
}

/** Clients are other programs: only the offered mode is accepted. */
function isModeChosen({ always }: PermissionAnswer & { readonly behavior: 'allow' }): boolean {
  return Array.isArray(always) && always.some((choice) => choice?.kind === 'mode' && choice.mode === 'acceptEdits');
}

function textOf(input: unknown, key: 'plan' | 'planFilePath'): string | undefined {
  const value = typeof input === 'object' && input !== null ? (input as Record<string, unknown>)[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}
