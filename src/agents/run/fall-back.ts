/**
 * The session's fallback model: an agent whose own model is overloaded goes on with it until its run ends, by the way on
 * which a skill has another model for a turn. It holds for all agents: a fork leaves its parent's cache for that time,
 * which is dearer and better than no answer.
 */

import { applySwitches } from '../../loop/epoch.js';
import type { Fallback } from '../../loop/ports.js';
import { modelData } from '../../model/models.js';
import type { Runtime } from '../runtime.js';
import { switchModel } from './switch-model.js';

export function fallbackTo(id: string, runtime: () => Runtime): Fallback {
  return {
    modelFor: ({ epoch, budget }) => {
      // A child may have a budget in dollars of its own.
      const isPriced = budget.refusesModel(modelData(id, runtime().models)) === undefined;
      return epoch.model.id === id || !isPriced ? undefined : id;
    },
    take: async ({ id: agentId }) => {
      const { agents, turns, models } = runtime();
      const agent = agents.get(agentId);
      if (agent === undefined) return;
      const model = modelData(id, models);
      const change = turns.runOn(agent, (current) => ({
        ...switchModel(runtime(), agent, current, { model }),
        fallbackFor: current.model.id,
        reason: 'model-switch',
      }));
      // What the person has chosen meanwhile is taken up when the turn can take it, and wins.
      await applySwitches(agent, change);
    },
  };
}
