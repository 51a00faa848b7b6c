/** A command that a person types as `/name words`. */

import type { CommandContext } from './command-context.js';

export type Command = {
  /** What may follow the name. */
  readonly takes?: string;
  readonly help: string;
  /** `idle`: it waits for the end of the turn under way. `any`: it only shows something, or may come at any time (TU-21). */
  readonly while: 'any' | 'idle';
  run(context: CommandContext, argument: string): void | Promise<void>;
};
