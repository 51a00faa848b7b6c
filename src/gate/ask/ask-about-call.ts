/** Asks about a call: first the hooks that answer for the user, then every client that can answer. */

import type { PermissionAnswer, PermissionChoice, PermissionQuestion } from '../../protocol/permission.js';
import { namedInput } from '../../protocol/tools/built-in-tools.js';
import type { AcceptedPlan, AskReason, GateAnswer, GatedCall } from '../gated-call.js';
import { callFields } from '../hooks/hook-events.js';
import type { Policy } from '../permissions/policy.js';
import { ruleScopeOf } from '../permissions/rules/rule-scope.js';
import type { Requester } from '../requester.js';
import type { SessionRules } from '../session-rules.js';
import { describeRequester, type Questions } from './questions.js';

export type AskingOptions = {
  readonly questions: Questions;
  readonly rules: SessionRules;
  readonly newId: () => string;
  readonly policyOf: (requester: Requester) => Policy;
  readonly acceptEdits: (agentId: string) => Promise<void>;
  readonly plans: { accept(plan: AcceptedPlan): void } | undefined;
};

export async function askAboutCall(
  options: AskingOptions,
  requester: Requester,
  call: GatedCall,
  why: AskReason,
  signal: AbortSignal,
): Promise<GateAnswer> {
  const byHook = await askHooks(requester, call, signal);
  // A hook can deny a firm question, but not allow it.
  if (byHook?.behavior === 'deny' || (byHook !== undefined && why.firm !== true)) return byHook;
  if (call.actions.some(({ kind }) => kind === 'plan')) {
    const { askAboutPlan } = await import('./ask-about-plan.js');
    return askAboutPlan(options, requester, call, why, signal);
  }
  // "Always" is bound to the root that the question shows, because the shell may move while it waits.
  const root = ruleScopeOf(requester.cwd, requester.roots, requester.files)?.root;
  const question = await describeCall(options, requester, call, why);
  const settlement = await options.questions.ask(question, requester, signal);
  if (settlement.kind === 'nobody') return nobodyToAsk(options, requester, call, why, question.offers);
  if (settlement.kind === 'taken-back' || signal.aborted) {
    return { behavior: 'deny', by: 'interruption', reason: 'the person interrupted' };
  }
  const { answer } = settlement;
  if (answer.behavior !== 'allow') return denial(answer);
  if (answer.always !== undefined) await keepChoices(options, requester, question, answer.always, root);
  return {
    behavior: 'allow',
    by: 'person',
    ...('updatedInput' in answer ? { updatedInput: answer.updatedInput } : {}),
  };
}

/** Undefined if no hook answers for the user. */
async function askHooks(requester: Requester, call: GatedCall, signal: AbortSignal): Promise<GateAnswer | undefined> {
  const verdict = await requester.hooks.run('PermissionRequest', callFields(call), { signal });
  for (const { level, hook, text } of verdict.messages) {
    await requester.notify({ kind: 'line-shown', level, line: `${hook}: ${text}` });
  }
  const { decision, reason = 'a hook denied it', updatedInput } = verdict;
  if (decision === 'deny') return { behavior: 'deny', by: 'hook', reason, interrupt: verdict.stop !== undefined };
  if (decision === 'allow') return { behavior: 'allow', by: 'hook', ...(updatedInput ? { updatedInput } : {}) };
  return undefined;
}

/** The code that describes a call is loaded with the first question, to keep it out of the start-up path. */
async function describeCall(
  { rules, newId, policyOf }: AskingOptions,
  requester: Requester,
  call: GatedCall,
  { reason, firm }: AskReason,
): Promise<PermissionQuestion> {
  const [{ makeOffers }, { destroys }] = await Promise.all([
    import('./make-offers.js'),
    import('../permissions/destroys.js'),
  ]);
  const marks = call.actions.flatMap((action) => (action.kind === 'shell' ? destroys(action.command) : []));
  const policy = policyOf(requester);
  // No rule and no mode avoids a firm question, so "always" is not offered.
  const offers = firm ? [] : await makeOffers(requester, call, { rules, policy, isDestructive: marks.length > 0 });
  return {
    id: newId(),
    agent: describeRequester(requester),
    call: { id: call.id, ...namedInput(call.tool, call.input) },
    cwd: requester.cwd,
    reason,
    destroys: marks,
    offers,
  };
}

async function keepChoices(
  { rules, acceptEdits }: AskingOptions,
  requester: Requester,
  { offers }: PermissionQuestion,
  choices: readonly PermissionChoice[],
  root: string | undefined,
): Promise<void> {
  const warn = (line: string) => requester.notify({ kind: 'line-shown', level: 'warning', line });
  // Answers come from other programs: nothing is stored that was not offered.
  for (const choice of Array.isArray(choices) ? (choices as readonly PermissionChoice[]) : [undefined]) {
    const offered = offers.find((offer) => isChosen(offer, choice));
    if (offered === undefined || choice === undefined) {
      await warn('"always" was not saved: the question did not offer it');
    } else if (choice.kind === 'mode') {
      await acceptEdits(requester.id).catch(() => warn('the mode could not be changed'));
    } else if (choice.kind === 'rule' && root !== undefined) {
      const notSaved = await rules.allow(choice.rule, root, choice.where);
      if (notSaved !== undefined) await warn(`the rule applies to this session but was not saved: ${notSaved}`);
    }
  }
}

function isChosen(offer: PermissionQuestion['offers'][number], choice: PermissionChoice | undefined): boolean {
  if (offer.kind === 'mode') return choice?.kind === 'mode' && choice.mode === offer.mode;
  return (
    offer.kind === 'rule' && choice?.kind === 'rule' && choice.rule === offer.rule && offer.where.includes(choice.where)
  );
}

function denial({ reason, interrupt }: PermissionAnswer & { readonly behavior: 'deny' }): GateAnswer {
  return {
    behavior: 'deny',
    by: 'person',
    reason: reason ? `the person said no: ${reason}` : 'the person said no',
    ...(interrupt ? { interrupt: true } : {}),
  };
}

async function nobodyToAsk(
  { policyOf }: AskingOptions,
  requester: Requester,
  call: GatedCall,
  why: AskReason,
  offers: PermissionQuestion['offers'],
): Promise<GateAnswer> {
  return {
    behavior: 'deny',
    by: 'nobody to ask',
    reason:
      `${call.tool} needs the person's permission (${why.reason}), and nobody can be asked in this run. ` +
      `${await describeWay(policyOf(requester), requester, call, why, offers)} ` +
      'Continue without it, or say in your answer what you need.',
  };
}

/** What would allow it next time too. */
async function describeWay(
  policy: Policy,
  requester: Requester,
  call: GatedCall,
  { firm, needsTrust }: AskReason,
  offers: PermissionQuestion['offers'],
): Promise<string> {
  if (firm) return 'No rule and no hook allows this: a person, or a program that answers for one, must.';
  if (needsTrust) return 'It can be allowed by trusting the folder (--trust), or by a rule given with --allowedTools.';
  const { findCoveringRules } = await import('./make-offers.js');
  const rules = (await findCoveringRules(requester, call, policy)) ?? exactRule(offers);
  const mode = offers.find((offer) => offer.kind === 'mode')?.mode;
  if (rules.length === 0 && mode === undefined)
    return 'A person can write a rule for it (permissions.allow in the settings).';
  const ways = [
    ...(rules.length === 0
      ? []
      : [
          `the ${rules.length > 1 ? 'rules' : 'rule'} ${rules.join(', ')} (--allowedTools, or permissions.allow in the settings)`,
        ]),
    ...(mode === undefined ? [] : [`--permission-mode ${mode}`]),
  ];
  return `It can be allowed with ${ways.join(' or ')}.`;
}

function exactRule(offers: PermissionQuestion['offers']): readonly string[] {
  const rule = offers.find((offer) => offer.kind === 'rule')?.rule;
  return rule === undefined ? [] : [rule];
}
