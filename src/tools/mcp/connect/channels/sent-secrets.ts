/** The secrets sent to a server: current and earlier values of headers and tokens (MC-25, MC-26). */

/** An old one may still be echoed; one that changes with each request must not fill the memory. */
const MOST_KEPT = 64;

export class SentSecrets {
  readonly #kept: Set<string>;

  constructor(values: Iterable<string>) {
    this.#kept = new Set(values);
  }

  add(value: string): void {
    this.#kept.delete(value);
    this.#kept.add(value);
    const [oldest] = this.#kept;
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  all(): readonly string[] {
    return [...this.#kept];
  }
}
