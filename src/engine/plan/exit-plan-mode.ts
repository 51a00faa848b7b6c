/** ExitPlanMode: shows a plan to you. The gate asks; what runs here is the accepted plan (EX-15). */

import { type ExitPlanModeInput, exitPlanModeFacts } from '../../protocol/tools/exit-plan-mode.js';
import type { ParsedInput, Tool } from '../../tools/tool.js';
import { parseFields } from '../../tools/zod-tool.js';
import type { PlanMode } from './plan-mode.js';

/** The description that the model reads. */
const exitPlanModeText = `Shows your plan to the person, who accepts it, changes it, or wants to go on planning. Only in plan mode, and only when the plan is complete.

Give the whole plan in \`plan\`, in Markdown: what is to be changed, where, in which order, and how you will check it. If the person accepts, plan mode ends and you carry out the plan as it came back. Nothing but that acceptance is a yes.`;

const NAME = exitPlanModeFacts.name;

export function createExitPlanModeTool(plans: PlanMode): Tool<ExitPlanModeInput> {
  return {
    name: NAME,
    description: exitPlanModeText,
    inputSchema: {
      type: 'object',
      properties: { plan: { type: 'string', description: 'The whole plan, in Markdown' } },
      required: ['plan'],
    },
    concurrent: false,
    quotes: ['plan'],
    parse: (raw) => parsePlan(raw, plans.file),
    declare: () => [{ kind: 'plan' }],
    run: async ({ plan }, context) => (await import('./carry-out.js')).takeAccepted(plans, plan, context),
  };
}

/** Other fields, such as prompts that a plan would allow, are ignored. The path is ours. */
function parsePlan(raw: unknown, planFilePath: string): ParsedInput<ExitPlanModeInput> {
  const fields = parseFields(NAME, raw);
  if (!fields.ok) return fields;
  const { plan } = fields.input;
  if (typeof plan === 'string' && plan.trim() !== '') return { ok: true, input: { plan, planFilePath } };
  return { ok: false, reason: `${NAME}: nothing was shown to the person. Give the whole plan as text in "plan".` };
}
