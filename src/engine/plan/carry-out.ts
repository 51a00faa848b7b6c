/** Carries out an accepted plan: changes the mode, saves the plan, informs the model. */

import { dirname } from 'node:path';
import { hashPlan } from '../../gate/ask/ask-about-plan.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import type { ExitPlanModeResponse } from '../../protocol/tools/exit-plan-mode.js';
import type { ToolContext } from '../../tools/tool.js';
import type { PlanMode } from './plan-mode.js';

export async function takeAccepted(plans: PlanMode, plan: string, context: ToolContext): Promise<ToolOutcome> {
  const accepted = plans.take(context.callId, hashPlan(plan));
  if (accepted === undefined) return failed('Nobody has looked at this plan, and nothing was decided.');
  const refusal = await plans.end(accepted.mode);
  if (refusal !== undefined) return failed(`Plan mode could not be ended: ${refusal}. Nothing may be changed.`);
  const isSaved = await save(plans.file, plan, context);
  const where = isSaved ? ` It is kept in ${plans.file}.` : '';
  const reply = accepted.isEdited
    ? `The person changed the plan and accepted it as it is now.${where} Carry out this plan, not yours:\n\n${plan}`
    : `The person accepted the plan.${where} Carry it out.`;
  return {
    ...succeeded(reply),
    response: (): ExitPlanModeResponse => ({
      plan,
      isAgent: context.agentId !== MAIN_AGENT,
      ...(isSaved ? { filePath: plans.file } : {}),
      ...(accepted.isEdited ? { planWasEdited: true } : {}),
    }),
  };
}

/** An accepted plan stays accepted even if it can't be saved. */
async function save(file: string, plan: string, { host, progress }: ToolContext): Promise<boolean> {
  try {
    await host.files.makeFolder(dirname(file), 0o700);
    await host.files.replace(file, plan.endsWith('\n') ? plan : `${plan}\n`, 0o600);
    return true;
  } catch {
    progress(`the plan could not be saved to ${file}`);
    return false;
  }
}
