/** Continues a conversation on another model: for a skill that requests one, or while an agent's own is overloaded. */

import type { Epoch } from '../../loop/agent.js';
import type { ModelData } from '../../model/models.js';
import { thinkingParameters } from '../../model/thinking.js';
import type { HistoryView } from '../../protocol/history.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';
import { replyLimit } from '../start/make-epoch.js';

export type OtherModel = { readonly model: ModelData; readonly effort?: string | undefined };

export function switchModel(
  runtime: Runtime,
  agent: LiveAgent,
  current: Epoch,
  { model, effort: requested }: OtherModel,
): Epoch {
  const { record, state, budget } = agent;
  const { tools, system } = current.prefix;
  const { taskBudget } = current;
  const maxTokens = replyLimit(runtime, model.id, budget);
  // The user may have chosen another since the session began.
  const effort = requested ?? current.effort ?? record.effort;
  const wish = lacksThinking(current.model.id, model, state.history.view())
    ? false
    : (current.thinks ?? record.thinks ?? true);
  const prefix = runtime.ports.model.freezePrefix({
    model: model.id,
    ...thinkingParameters(model, wish, effort, maxTokens),
    ...(taskBudget === undefined ? {} : { taskBudget }),
    tools,
    system,
  });
  return { ...current, model, effort, maxTokens, prefix };
}

/** For a turn that another model began: drops thinking if required, and only for that turn. */
export function switchModelForTurn(runtime: Runtime, before: string, epoch: Epoch, history: HistoryView): Epoch {
  if (!lacksThinking(before, epoch.model, history)) return epoch;
  const { model, tools, system } = epoch.prefix;
  const budget = epoch.taskBudget === undefined ? {} : { taskBudget: epoch.taskBudget };
  const prefix = runtime.ports.model.freezePrefix({ model, ...budget, tools, system });
  return { ...epoch, prefix, reason: 'effort-switch', base: epoch.base ?? epoch };
}

/**
 * With a thinking budget, a model requires the thinking at the start of a series of calls. If another model began it,
 * that thinking is gone, so this one does not think until the turn ends.
 */
function lacksThinking(before: string, model: ModelData, history: HistoryView): boolean {
  if (model.thinking !== 'budget' || model.id === before) return false;
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const message = history.at(index);
    if (message?.role === 'assistant') return message.blocks.some(({ type }) => type === 'tool_use');
    if (message?.blocks.some(({ type }) => type !== 'tool_result')) return false;
  }
  return false;
}
