/** The person's choice of mode, model, effort and thinking: taken up by the main agent, with a word on what its model does not take. */

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
  /** It is taken up once that is done, and not waited for. */
  readonly isStarting: boolean;
  isWorking(): boolean;
};

/** In force at the next safe point, at once when nothing works. Returns why it may not be. */
export async function applyChoice(
  { choice, runtime, setup, main, isStarting, isWorking }: ChoiceContext,
  wish: ChoiceChange,
) {
  const before = choice.now;
  const refusal = choice.change(wish);
  if (refusal !== undefined) return refusal;
  const { now } = choice;
  const isOther = (['model', 'effort', 'thinking'] as const).some(
    (what) => !isDeepStrictEqual(now[what], before[what]),
  );
  if (isOther) for (const line of untaken(runtime, now)) tell(runtime, line);
  const takenUp = main?.then(async (agent) => {
    if (wish.mode !== undefined) agent.switches.push({ kind: 'mode', mode: now.mode });
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
  // A start that fails is told by what began it; the next one begins with the choice.
  if (isStarting) takenUp?.catch(() => {});
  else await takenUp;
  return undefined;
}

/** What of the choice the model does not take, as lines for the person. */
function untaken(runtime: Runtime, { model, effort, thinking }: Choice): readonly string[] {
  if (thinking === undefined) return [];
  const maxTokens = replyLimit(runtime, model, runtime.budget);
  const line = untakenThinking(modelData(model, runtime.models), thinking, effort, maxTokens);
  return line === undefined ? [] : [line];
}

/** What is to be known of the models when a session is opened. */
export function modelWarnings(runtime: Runtime, choice: Choice): readonly string[] {
  return [...untaken(runtime, choice), ...fallbackWarnings(runtime)];
}

function fallbackWarnings({ fallbackModel: id, models, budget }: Runtime): readonly string[] {
  if (id === undefined) return [];
  const unpriced = budget.refusesModel(modelData(id, models));
  if (unpriced !== undefined) return [`the fallback model of the settings is not used: ${unpriced}`];
  return isKnownModel(id, models) ? [] : [`nothing is known of the fallback model ${id}; it is used as it is written`];
}

function tell({ listeners }: Runtime, line: string): void {
  listeners.notify({ agent: MAIN_AGENT, seq: undefined, event: { kind: 'line-shown', level: 'warning', line } });
}
