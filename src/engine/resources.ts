/** Closes what was opened, in reverse order, each even if another can't be closed. */

import { reasonOf } from '../protocol/reason-of.js';

export class Resources {
  readonly #closers: { readonly name: string; readonly close: () => Promise<unknown> | undefined }[] = [];

  add(name: string, close: () => Promise<unknown> | undefined): void {
    this.#closers.push({ name, close });
  }

  /** Never rejects: returns a reason for each resource that could not be closed. */
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
