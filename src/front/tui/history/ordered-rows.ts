/** Rows printed in the order they were asked for, also when some take time to be made (a diff). */

type Made = readonly string[] | Promise<readonly string[]>;

export class OrderedRows {
  readonly #print: (rows: readonly string[]) => void;
  readonly #waiting: Made[] = [];
  #drained: Promise<void> | undefined;

  constructor(print: (rows: readonly string[]) => void) {
    this.#print = print;
  }

  push(made: Made): void {
    if (this.#drained === undefined && !(made instanceof Promise)) return void this.#print(made);
    this.#waiting.push(made);
    this.#drained ??= this.#drain();
  }

  /** Resolves when everything so far is printed. */
  async settled(): Promise<void> {
    await this.#drained;
  }

  async #drain(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) this.#print(await next);
    this.#drained = undefined;
  }
}
