/** What is changed for one turn of an agent, by skills or an overload: rules, and the model. It ends with the agent's run. */

import type { TurnGrant } from '../../gate/requester.js';
import type { Epoch, Switch } from '../../loop/agent.js';

type Turn = {
  readonly grants: TurnGrant[];
  /** Set if it runs on something else for the turn. */
  turning?: Turning;
};

/** An agent, as far as a turn changes it. */
type Turning = { readonly id: string; readonly switches: Switch[] };

export class TurnOverrides {
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

  /** From the next safe point on. Of several in a turn, all go back to what was there before the first. */
  runOn(agent: Turning, next: (current: Epoch) => Epoch): Switch {
    this.comesBack(agent);
    const own = (current: Epoch): Epoch => ({ ...next(current), base: current.base ?? current });
    const change: Switch = { kind: 'epoch', next: own };
    agent.switches.push(change);
    return change;
  }

  /** It may be on something for the turn, which has a base. */
  comesBack(agent: Turning): void {
    this.#of(agent.id).turning = agent;
  }

  /** What the person chose meanwhile stays: it goes back to nothing. */
  end(agent: string): void {
    const turn = this.#turns.get(agent);
    this.#turns.delete(agent);
    turn?.turning?.switches.push({ kind: 'epoch', next: (current) => current.base ?? current });
  }

  #of(agent: string): Turn {
    const known = this.#turns.get(agent) ?? { grants: [] };
    this.#turns.set(agent, known);
    return known;
  }
}

const NONE: readonly TurnGrant[] = [];
