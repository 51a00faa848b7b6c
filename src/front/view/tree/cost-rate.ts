/** What a session costs per minute right now: from its cost over the last minute. Pure with `now`. */

const WINDOW_MS = 60_000;
const STEP_MS = 1_000;

type Sample = { readonly at: number; readonly cost: number };

export class CostRate {
  /** Oldest first, at most one a second. */
  #samples: Sample[] = [];
  #last: Sample | undefined;

  take(now: number, cost: number): void {
    this.#last = { at: now, cost };
    const newest = this.#samples.at(-1);
    if (newest !== undefined && now - newest.at < STEP_MS) return;
    this.#samples = this.#samples.filter(({ at }) => now - at <= WINDOW_MS);
    this.#samples.push(this.#last);
  }

  /** In dollars. Undefined until there is something to compare with. */
  get perMinute(): number | undefined {
    const [first] = this.#samples;
    if (first === undefined || this.#last === undefined || this.#last.at - first.at < STEP_MS) return undefined;
    return (Math.max(0, this.#last.cost - first.cost) * 60_000) / (this.#last.at - first.at);
  }
}
