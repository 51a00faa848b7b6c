/** What Esc and Ctrl+C mean at this moment (TU-23). Pure: the app does what comes of it. */

export type Situation = {
  /** Whether the main agent works. */
  readonly isWorking: boolean;
  /** How many agents it waits for: they would be interrupted with it. */
  readonly waitedFor: number;
  /** Whether anything of an answer to the last prompt has come. */
  readonly hasToken: boolean;
  readonly hasDraft: boolean;
};

export type InterruptAction =
  | 'interrupt'
  /** Nothing was answered yet: the prompt goes back to the editor. */
  | 'take-back'
  /** Once more interrupts the agents that are waited for, too. */
  | 'warn-agents'
  /** Once more puts the draft into the history. */
  | 'warn-draft'
  | 'keep-draft'
  | 'warn-rewind'
  | 'rewind'
  | 'warn-exit'
  | 'exit';

/** So long the second press counts as one. */
export const TWICE_MS = 2_000;

export class InterruptKeys {
  /** What the press before has announced. */
  #announced: { readonly action: InterruptAction; readonly at: number } | undefined;
  #interruptedAt = Number.NEGATIVE_INFINITY;

  /** Undefined: nothing is done, the press only follows an interruption. */
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

  /** The person did something else: the next press is a first one. */
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
    // The second press of an interruption does nothing more than the first.
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
