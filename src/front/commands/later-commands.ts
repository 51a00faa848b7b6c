/** Commands that were typed during a turn and wait for its end, in their order (TU-21). */

import type { WaitingCommands } from './command-context.js';

export class LaterCommands implements WaitingCommands {
  readonly #lines: string[] = [];

  add(line: string): void {
    this.#lines.push(line);
  }

  list(): readonly string[] {
    return [...this.#lines];
  }

  take(place: number): string | undefined {
    return this.#lines.splice(place, 1)[0];
  }
}
