/** The commands of a feature, by type, with their result types. */

import type { Runtime } from '../agents/runtime.js';
import type { Command, CommandOf } from '../protocol/commands.js';

export type FeatureCommands<Results> = {
  readonly [T in keyof Results & Command['type']]: (runtime: Runtime, command: CommandOf<T>) => Promise<Results[T]>;
};
