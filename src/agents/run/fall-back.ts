/**
 * The session's fallback model: an agent whose own model is overloaded continues on it until its run ends, by the same
 * mechanism as a skill's model for a turn. It applies to all agents: a fork leaves its parent's cache for that time,
 * which costs more but beats no answer.
 */

import { applySwitches } from '../../loop/epoch.js';
import type { Fallback } from '../../loop/ports.js';
import { modelData } from '../../model/models.js';
import type { Runtime } from '../runtime.js';
import { switchModel } from './switch-model.js';

export function fallbackTo(id: string, runtime: () => Runtime): Fallback {
  return {
    modelFor: ({ epoch, budget }) => {
      // A child may have its own budget in dollars.
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
      // A model chosen by the user in the meantime is applied as soon as the turn allows, and wins.
      await applySwitches(agent, change);
    },
  };
}
