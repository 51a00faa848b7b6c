/**
 * Applies a change of mode, model, effort or thinking to the main agent, with a warning if its model does not support
 * it.
 */

import { isDeepStrictEqual } from 'node:util';
import type { LiveAgent } from '../agents/live-agent.js';
import { switchModelForTurn } from '../agents/run/switch-model.js';
import type { Runtime } from '../agents/runtime.js';
import { replyLimit } from '../agents/start/make-epoch.js';
import type { Epoch } from '../loop/agent.js';
import { applySwitches } from '../loop/epoch.js';
import { isKnownModel, modelData } from '../model/models.js';
import { untakenThinking } from '../model/thinking.js';
import { MAIN_AGENT } from '../protocol/events.js';
import { type Choice, type MainSetup, mainEpoch } from './main-agent.js';
import type { ChoiceChange, UserChoice } from './user-choice.js';

export type ChoiceContext = {
  readonly choice: UserChoice;
  readonly runtime: Runtime;
  readonly setup: MainSetup;
  /** Undefined before it is started. */
  readonly main: Promise<LiveAgent> | undefined;
  /** The change is applied once it has started, without waiting for it. */
  readonly isStarting: boolean;
  isWorking(): boolean;
};

/** Takes effect at the next safe point, or at once if the agent is idle. Returns the reason if it is refused. */
export async function applyChoice(
  { choice, runtime, setup, main, isStarting, isWorking }: ChoiceContext,
  change: ChoiceChange,
) {
  const before = choice.now;
  const refusal = choice.change(change);
  if (refusal !== undefined) return refusal;
  const { now } = choice;
  const isOther = (['model', 'effort', 'thinking'] as const).some(
    (what) => !isDeepStrictEqual(now[what], before[what]),
  );
  if (isOther) for (const line of unsupported(runtime, now)) warn(runtime, line);
  const applied = main?.then(async (agent) => {
    if (change.mode !== undefined) agent.switches.push({ kind: 'mode', mode: now.mode });
    if (isOther) {
      const next = ({ tools, model }: Epoch): Epoch => {
        const chosen: Epoch = { ...mainEpoch(runtime, setup, { ...now, tools }), reason: 'effort-switch' };
        return isWorking() ? switchModelForTurn(runtime, model.id, chosen, agent.state.history.view()) : chosen;
      };
      agent.switches.push({ kind: 'epoch', next });
      runtime.turns.comesBack(agent);
    }
    if (!isWorking()) await applySwitches(agent);
    else if (agent.activity.onlyWaits) await applySwitches(agent, 'mode');
  });
  // A start that fails is reported by its caller; the next one uses the new choice.
  if (isStarting) applied?.catch(() => {});
  else await applied;
  return undefined;
}

/** The parts of the choice that the model does not support, as warnings. */
function unsupported(runtime: Runtime, { model, effort, thinking }: Choice): readonly string[] {
  if (thinking === undefined) return [];
  const maxTokens = replyLimit(runtime, model, runtime.budget);
  const line = untakenThinking(modelData(model, runtime.models), thinking, effort, maxTokens);
  return line === undefined ? [] : [line];
}

/** Warnings about the models when a session is opened. */
export function modelWarnings(runtime: Runtime, choice: Choice): readonly string[] {
  return [...unsupported(runtime, choice), ...fallbackWarnings(runtime)];
}

function fallbackWarnings({ fallbackModel: id, models, budget }: Runtime): readonly string[] {
  if (id === undefined) return [];
  const unpriced = budget.refusesModel(modelData(id, models));
  if (unpriced !== undefined) return [`fallbackModel in the settings is ignored: ${unpriced}`];
  return isKnownModel(id, models) ? [] : [`unknown fallback model ${id}; it is used as written`];
}

function warn({ listeners }: Runtime, line: string): void {
  listeners.notify({ agent: MAIN_AGENT, seq: undefined, event: { kind: 'line-shown', level: 'warning', line } });
}
