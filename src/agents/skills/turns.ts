/** What skills change for one turn of an agent: rules, and the model it runs on. It ends with the agent's run. */

import type { TurnGrant } from '../../gate/asker.js';
import type { Epoch, Switch } from '../../loop/agent.js';

type Turn = {
  readonly grants: TurnGrant[];
  /** Brings back what the agent ran on before. */
  restore?: (() => void) | undefined;
};

/** An agent, as far as a turn changes it. */
type Turning = { readonly id: string; readonly epoch: Epoch; readonly switches: Switch[] };

export class Turns {
  readonly #turns = new Map<string, Turn>();

  grantsOf(agent: string): readonly TurnGrant[] {
    return this.#turns.get(agent)?.grants ?? NONE;
  }

  /** Returns how to take it back before the turn ends. */
  grant(agent: string, grant: TurnGrant): () => void {
    const { grants } = this.#of(agent);
    grants.push(grant);
    return () => {
      const at = grants.indexOf(grant);
      if (at >= 0) grants.splice(at, 1);
    };
  }

  /** From the next safe point on. The first of several in a turn knows what to go back to. */
  runOn(agent: Turning, next: (current: Epoch) => Epoch): void {
    const turn = this.#of(agent.id);
    let own: Epoch | undefined;
    let before: Epoch | undefined;
    agent.switches.push({
      kind: 'epoch',
      next: (current) => {
        before = current;
        own = next(current);
        return own;
      },
    });
    const earlier = turn.restore;
    turn.restore = () => {
      // Something else may have been chosen meanwhile: that stays.
      const back = (current: Epoch) => (current === own && before !== undefined ? before : current);
      agent.switches.push({ kind: 'epoch', next: back });
      earlier?.();
    };
  }

  end(agent: string): void {
    const turn = this.#turns.get(agent);
    this.#turns.delete(agent);
    turn?.restore?.();
  }

  #of(agent: string): Turn {
    const known = this.#turns.get(agent) ?? { grants: [] };
    this.#turns.set(agent, known);
    return known;
  }
}

const NONE: readonly TurnGrant[] = [];
