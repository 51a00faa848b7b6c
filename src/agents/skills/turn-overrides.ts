/**
 * Changes for one turn of an agent, made by skills or an overload: rules and the model. They end with the agent's run.
 */

import type { TurnGrant } from '../../gate/requester.js';
import type { Epoch, Switch } from '../../loop/agent.js';

type Turn = {
  readonly grants: TurnGrant[];
  /** Set if it runs on another model for the turn. */
  turning?: Turning;
};

/** The parts of an agent that a turn changes. */
type Turning = { readonly id: string; readonly switches: Switch[] };

export class TurnOverrides {
  readonly #turns = new Map<string, Turn>();

  grantsOf(agent: string): readonly TurnGrant[] {
    return this.#turns.get(agent)?.grants ?? NONE;
  }

  /** Returns a function that revokes the grant before the turn ends. */
  grant(agent: string, grant: TurnGrant): () => void {
    const { grants } = this.#of(agent);
    grants.push(grant);
    return () => {
      const at = grants.indexOf(grant);
      if (at >= 0) grants.splice(at, 1);
    };
  }

  /** Applies from the next safe point. Several in one turn all revert to the state before the first. */
  runOn(agent: Turning, next: (current: Epoch) => Epoch): Switch {
    this.comesBack(agent);
    const own = (current: Epoch): Epoch => ({ ...next(current), base: current.base ?? current });
    const change: Switch = { kind: 'epoch', next: own };
    agent.switches.push(change);
    return change;
  }

  /** Registers an agent that may be resumed in such a turn; its epoch then has a base. */
  comesBack(agent: Turning): void {
    this.#of(agent.id).turning = agent;
  }

  /** A model that the user chose in the meantime stays: there is nothing to revert to. */
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
