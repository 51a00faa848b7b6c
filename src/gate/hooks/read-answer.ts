/** Reads a hook's JSON answer or a function's return value: the fields that apply at this event, and their meaning. */

import { capText, type HookAnswer, type HookDecision, type HookMessage, strictest } from './hook-answer.js';
import { EVENT_TRAITS, type HookEvent } from './hook-events.js';
import { checkOutput, type HookOutput } from './output-schema.js';

export function readAnswer(event: HookEvent, hook: string, value: unknown): HookAnswer {
  const { output, problems, decisionUnclear } = checkOutput(value);
  const messages: HookMessage[] = [];
  const report = (level: HookMessage['level'], text: string) => messages.push({ level, hook, text: capText(text) });
  if (problems.length > 0) report('error', `answered with invalid fields: ${problems.join('; ')}`);
  if (output.systemMessage) report('info', output.systemMessage);

  const specific = output.hookSpecificOutput ?? {};
  if (specific.decision?.updatedPermissions?.length) {
    report(
      'warning',
      "asked to change permission rules (updatedPermissions), which hooks can't do; the rest of its answer is used",
    );
  }
  const given = readDecision(event, output);
  const applicable = applicableDecision(event, given);
  const reason = readReason(output);
  if (given === 'deny' && applicable === undefined)
    report('warning', `${reason ?? 'blocked'} (nothing can be blocked here)`);
  const unclear = decisionUnclear && EVENT_TRAITS[event].failureBlocks;
  const decision = unclear ? 'deny' : applicable;
  const context = [specific.additionalContext, output.additionalContext].filter((text) => text?.trim()).join('\n');
  const updatedInput = readUpdatedInput(event, output, decision);
  const stop = readStop(output);
  return {
    messages,
    ...(decision === undefined ? {} : { decision }),
    ...(unclear ? { reason: capText(`${hook} gave an invalid decision: ${problems.join('; ')}. Blocked.`) } : {}),
    ...(!unclear && decision !== undefined && reason !== undefined ? { reason: capText(reason) } : {}),
    ...(updatedInput ? { updatedInput } : {}),
    ...(context === '' ? {} : { context: capText(context) }),
    ...(stop === undefined ? {} : { stop: capText(stop) }),
    ...(specific.worktreePath ? { worktreePath: specific.worktreePath } : {}),
    ...readElicited(event, output),
  };
}

/** The legacy field and the event's own may both be present; the stricter one wins. */
function readDecision(event: HookEvent, output: HookOutput): HookDecision | undefined {
  const specific = output.hookSpecificOutput ?? {};
  const permission = event === 'PermissionRequest' ? specific.decision?.behavior : undefined;
  const declined = isElicitation(event) && specific.action === 'decline' ? 'deny' : undefined;
  return strictest([toDecision(output.decision), toDecision(specific.permissionDecision), permission, declined]);
}

function toDecision(written: HookOutput['decision']): HookDecision | undefined {
  switch (written) {
    case 'approve':
    case 'allow':
      return 'allow';
    case 'block':
    case 'deny':
      return 'deny';
    case 'ask':
      return 'ask';
    case '':
    case null:
    case undefined:
      return undefined;
    default:
      return written satisfies never;
  }
}

/** Allow and ask apply only to calls; deny applies wherever something can be blocked. */
function applicableDecision(event: HookEvent, given: HookDecision | undefined): HookDecision | undefined {
  const { guards, blocks } = EVENT_TRAITS[event];
  if (guards) return given;
  return given === 'deny' && blocks ? 'deny' : undefined;
}

function readReason(output: HookOutput): string | undefined {
  const specific = output.hookSpecificOutput ?? {};
  const reasons = [specific.permissionDecisionReason, specific.decision?.message, output.reason];
  return reasons.find((reason) => reason?.trim()) ?? undefined;
}

function readUpdatedInput(event: HookEvent, output: HookOutput, decision: HookDecision | undefined) {
  if (decision === 'deny') return undefined;
  const specific = output.hookSpecificOutput ?? {};
  if (event === 'PreToolUse') return specific.updatedInput;
  if (event === 'PermissionRequest') return specific.decision?.updatedInput;
  return undefined;
}

function isElicitation(event: HookEvent): boolean {
  return event === 'Elicitation' || event === 'ElicitationResult';
}

/** Leaves out a refusal, which is a decision like at other events. */
function readElicited(event: HookEvent, { hookSpecificOutput }: HookOutput): Pick<HookAnswer, 'elicited'> {
  const { action, content } = hookSpecificOutput ?? {};
  if (!isElicitation(event) || !action || action === 'decline') return {};
  return { elicited: action === 'cancel' ? { action } : { action, ...(content ? { content } : {}) } };
}

function readStop(output: HookOutput): string | undefined {
  const interrupt = output.hookSpecificOutput?.decision;
  if (output.continue === false) return output.stopReason?.trim() || 'A hook ended the run.';
  if (interrupt?.behavior === 'deny' && interrupt.interrupt)
    return interrupt.message?.trim() || 'A hook ended the run.';
  return undefined;
}
