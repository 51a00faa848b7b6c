/** Decides the effect of Esc and Ctrl+C (TU-23). Pure: the app performs it. */

export type Situation = {
  /** True if the main agent is running. */
  readonly isWorking: boolean;
  /** Number of agents it waits for: they would be interrupted, too. */
  readonly waitedFor: number;
  /** True if part of the answer to the last prompt has arrived. */
  readonly hasToken: boolean;
  readonly hasDraft: boolean;
};

export type InterruptAction =
  | 'interrupt'
  /** Nothing was answered yet: the prompt returns to the editor. */
  | 'take-back'
  /** A second press also interrupts the agents it waits for. */
  | 'warn-agents'
  /** A second press moves the draft to the history. */
  | 'warn-draft'
  | 'keep-draft'
  | 'warn-rewind'
  | 'rewind'
  | 'warn-exit'
  | 'exit';

/** A press within this time is the second one. */
export const TWICE_MS = 2_000;

export class InterruptKeys {
  /** The effect announced by the previous press. */
  #announced: { readonly action: InterruptAction; readonly at: number } | undefined;
  #interruptedAt = Number.NEGATIVE_INFINITY;

  /** Undefined: no effect, the press only follows an interruption. */
  press(key: 'esc' | 'ctrl+c', situation: Situation, now: number): InterruptAction | undefined {
    const announced =
      this.#announced !== undefined && now - this.#announced.at < TWICE_MS ? this.#announced.action : undefined;
    const action = situation.isWorking
      ? this.#whileWorking(situation, announced)
      : this.#whileIdle(key, situation, announced, now);
    this.#announced = action?.startsWith('warn-') ? { action, at: now } : undefined;
    if (action === 'interrupt' || action === 'take-back') this.#interruptedAt = now;
    return action;
  }

  /** After any other action, the next press is a first one. */
  forget(): void {
    this.#announced = undefined;
  }

  #whileWorking({ waitedFor, hasToken }: Situation, announced: InterruptAction | undefined): InterruptAction {
    if (waitedFor > 0) return announced === 'warn-agents' ? 'interrupt' : 'warn-agents';
    return hasToken ? 'interrupt' : 'take-back';
  }

  #whileIdle(
    key: 'esc' | 'ctrl+c',
    { hasDraft }: Situation,
    announced: InterruptAction | undefined,
    now: number,
  ): InterruptAction | undefined {
    // The second press of an interruption adds nothing to the first.
    if (now - this.#interruptedAt < TWICE_MS && announced === undefined) {
      this.#interruptedAt = Number.NEGATIVE_INFINITY;
      return undefined;
    }
    if (key === 'ctrl+c') {
      if (hasDraft) return 'keep-draft';
      return announced === 'warn-exit' ? 'exit' : 'warn-exit';
    }
    if (hasDraft) return announced === 'warn-draft' ? 'keep-draft' : 'warn-draft';
    return announced === 'warn-rewind' ? 'rewind' : 'warn-rewind';
  }
}
