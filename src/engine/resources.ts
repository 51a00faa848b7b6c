/** What was opened and must be given back: in the reverse order of opening, each even if another can't be closed. */

import { reasonOf } from '../protocol/reason-of.js';

export class Resources {
  readonly #closers: { readonly name: string; readonly close: () => Promise<unknown> | undefined }[] = [];

  add(name: string, close: () => Promise<unknown> | undefined): void {
    this.#closers.push({ name, close });
  }

  /** Never rejects: returns why something could not be closed, a line each. */
  async close(): Promise<readonly string[]> {
    const problems: string[] = [];
    for (let next = this.#closers.pop(); next !== undefined; next = this.#closers.pop()) {
      try {
        await next.close();
      } catch (error) {
        problems.push(`${next.name} could not be closed: ${reasonOf(error)}`);
      }
    }
    return problems;
  }
}
