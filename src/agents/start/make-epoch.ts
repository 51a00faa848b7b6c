/** Creates an epoch from model, tools and prompt. */

import type { Epoch } from '../../loop/agent.js';
import type { Budget } from '../../loop/budget.js';
import { modelData } from '../../model/models.js';
import type { Prefix } from '../../model/prefix.js';
import { type ThinkingWish, thinkingParameters } from '../../model/thinking.js';
import { declareTools } from '../../tools/registry.js';
import type { Tool } from '../../tools/tool.js';
import type { Runtime } from '../runtime.js';

export type EpochContent = {
  /** The full model id. */
  readonly model: string;
  readonly thinks: ThinkingWish;
  readonly effort?: string | undefined;
  readonly taskBudget?: number | undefined;
  readonly tools: readonly Tool[];
  readonly system: readonly string[];
  /** The output limit of a reply. */
  readonly maxTokens: number;
};

type Shared = Pick<Runtime, 'models' | 'prefixes' | 'ports'>;

export function makeEpoch(runtime: Shared, content: EpochContent): Epoch {
  const { model, thinks, effort, taskBudget, tools, maxTokens } = content;
  const chosen = { thinks, effort, taskBudget };
  return { model: modelData(model, runtime.models), ...chosen, tools, maxTokens, prefix: prefixFor(runtime, content) };
}

/** Agents of one type share one frozen prefix. A tool may be replaced by another of the same name. */
function prefixFor({ models, prefixes, ports }: Shared, content: EpochContent): Prefix {
  const { model, thinks, effort, taskBudget, maxTokens, tools, system } = content;
  const key = JSON.stringify([model, thinks, effort, taskBudget, maxTokens, system]);
  const known = prefixes.get(key)?.find((one) => isSame(one.tools, tools));
  if (known !== undefined) return known.prefix;
  const prefix = ports.model.freezePrefix({
    model,
    ...thinkingParameters(modelData(model, models), thinks, effort, maxTokens),
    ...(taskBudget === undefined ? {} : { taskBudget }),
    tools: declareTools(tools),
    system,
  });
  prefixes.set(key, [...(prefixes.get(key) ?? []), { tools, prefix }]);
  return prefix;
}

function isSame(a: readonly Tool[], b: readonly Tool[]): boolean {
  return a === b || (a.length === b.length && a.every((tool, index) => tool === b[index]));
}

/** The output limit for an agent on this model. */
export function replyLimit(
  { models, maxOutputTokens }: Pick<Runtime, 'models' | 'maxOutputTokens'>,
  model: string,
  budget: Budget,
): number {
  const data = modelData(model, models);
  // An output limit as large as the context would leave no room for a conversation.
  const most = Math.min(maxOutputTokens, data.maxOutput, Math.ceil(data.context / 2));
  return budget.replyLimit(data, most);
}
