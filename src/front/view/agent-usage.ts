/** Token usage of an agent, by model. */

import type { AgentEvent } from '../../protocol/events.js';
import { addUsage, NO_USAGE, subtractUsage, type Usage } from '../../protocol/usage.js';

export type AgentUsage = {
  readonly model: string;
  /** Over all runs. */
  readonly usage: Usage;
  /** The same, by model. Usage of an earlier process is attributed to the model it continues with. */
  readonly usageByModel: ReadonlyMap<string, Usage>;
  /** True if `usage` includes the time before the first event of this view. */
  readonly usageIsWhole: boolean;
};

export function reduceUsage<A extends AgentUsage>(agent: A, event: AgentEvent): A {
  switch (event.kind) {
    case 'agent-resumed':
    case 'run-ended': {
      if (event.usage === undefined) return agent;
      const more = gained(agent.usage, event.usage);
      const usageByModel = more ? addForModel(agent.usageByModel, agent.model, more) : agent.usageByModel;
      return { ...agent, usage: event.usage, usageByModel, usageIsWhole: true };
    }
    default: {
      const spent = spentBy(agent, event);
      if (spent === undefined) return agent;
      const usageByModel = addForModel(agent.usageByModel, spent.model, spent.usage);
      return { ...agent, usage: addUsage(agent.usage, spent.usage), usageByModel };
    }
  }
}

export function addForModel(
  usageByModel: ReadonlyMap<string, Usage>,
  model: string,
  usage: Usage,
): ReadonlyMap<string, Usage> {
  return new Map(usageByModel).set(model, addUsage(usageByModel.get(model) ?? NO_USAGE, usage));
}

/**
 * The usage that an event adds to the cost, and its model. A discarded reply leaves no record, only a difference at the
 * end of the run. It is added there, so that a replayed transcript has the same total as the live session.
 */
export function spentBy(
  agent: AgentUsage,
  event: AgentEvent,
): { readonly model: string; readonly usage: Usage } | undefined {
  switch (event.kind) {
    case 'assistant-replied':
    case 'history-compacted':
    case 'response-discarded':
      return event.model && event.usage ? { model: event.model, usage: event.usage } : undefined;
    case 'call-finished':
      return event.paid;
    case 'run-ended': {
      const usage = agent.usageIsWhole ? gained(agent.usage, event.usage) : undefined;
      return usage && { model: agent.model, usage };
    }
    default:
      return undefined;
  }
}

/** Undefined if nothing was added. */
function gained(before: Usage, after: Usage): Usage | undefined {
  const difference = Object.entries(subtractUsage(after, before)).map(([kind, count]) => [kind, Math.max(0, count)]);
  if (difference.every(([, count]) => count === 0)) return undefined;
  return Object.fromEntries(difference) as Usage;
}
