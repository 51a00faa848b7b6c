/** A tool that rules name, and the arguments such a rule covers (GT-29). Anything not listed is not covered. */

import type { OptionSpec } from '../shell/read-options.js';

/**
 * The options are the ordinary ones: they run no other program, and change neither the folder nor the configuration of the
 * tool. Values that may be paths are checked separately.
 */
export type Tool = OptionSpec & {
  /** Sub-commands that a rule for the bare tool covers, with their own options. */
  readonly commands?: Readonly<Record<string, Tool>>;
  /** All following words belong to a script of the project. */
  readonly free?: true;
  /** Options have long names after a single dash: `-run`. */
  readonly single?: true;
  /** Operands like `NAME=value` set what the tool runs. */
  readonly assigns?: true;
  /** Arguments that start with `@` name a file with more arguments. */
  readonly argumentFiles?: true;
  /** The words after `--`. Default: operands, none with a dash, because not every tool ends its options there. */
  readonly after?: Tool;
  /** Ordinary only with such a value; any other makes these options load code. */
  readonly values?: Readonly<Record<string, RegExp>>;
  /** Operands like `host:path` make it start a remote shell. */
  readonly local?: true;
  /** The first operands that are ordinary: the script to run, the program to start. Default: any. */
  readonly first?: RegExp;
  /** Options that need no first operand. Default: the long ones that print its version or help. */
  readonly queries?: RegExp;
  /** The operands that are ordinary with these options. Default: all. */
  readonly operand?: (value: string, options: ReadonlySet<string>) => boolean;
  /** A file defines what it changes, so a rule must name it: with these options or an operand. */
  readonly changes?: { readonly from: RegExp; readonly unless: RegExp };
};

/** The file of a script, but not one that another program is writing. */
export const SCRIPT_FILE = /^(?!\/(?:dev|proc)\/)[\s\S]*[./]/;

/** The following words belong to a script or test of the project. */
export const FREE: Tool = { free: true };

/** Sub-commands without options worth listing. */
export function plainCommands(names: string, tool: Tool = {}): Readonly<Record<string, Tool>> {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, tool]));
}
