/** A tool that rules name, and the arguments such a rule covers (GT-29). Anything not listed is not covered. */

import type { OptionSpec } from '../shell/read-options.js';

/**
 * The options are the ordinary ones: they run no other program, and change neither the folder nor the configuration the
 * tool works with. Values that may be paths are checked by themselves.
 */
export type Tool = OptionSpec & {
  /** Sub-commands that a rule for the bare tool covers, with options of their own. */
  readonly commands?: Readonly<Record<string, Tool>>;
  /** Whatever follows belongs to a script of the project. */
  readonly free?: true;
  /** Options have long names behind a single dash: `-run`. */
  readonly single?: true;
  /** Operands like `NAME=value` set what the tool runs. */
  readonly assigns?: true;
  /** Arguments that start with `@` name a file with more arguments. */
  readonly argumentFiles?: true;
  /** What follows `--`. Default: operands, none with a dash, as not every tool ends its options there. */
  readonly after?: Tool;
  /** Ordinary only with such a value; with any other these options would load code. */
  readonly values?: Readonly<Record<string, RegExp>>;
  /** Operands like `host:path` make it start a remote shell. */
  readonly local?: true;
  /** Which first operand is ordinary: the script to run, the program to start. Default: any. */
  readonly first?: RegExp;
  /** Options that need no first operand. Default: the long ones that print its version or help. */
  readonly queries?: RegExp;
  /** Which operands are ordinary, with these options. Default: all. */
  readonly operand?: (value: string, options: ReadonlySet<string>) => boolean;
  /** A file says what it changes, so a rule must name that: these options name it, as does an operand. */
  readonly changes?: { readonly from: RegExp; readonly unless: RegExp };
};

/** The file of a script. Not what another program writes at the moment. */
export const SCRIPT_FILE = /^(?!\/(?:dev|proc)\/)[\s\S]*[./]/;

/** What follows belongs to a script or test of the project. */
export const FREE: Tool = { free: true };

/** Sub-commands without options worth a line each. */
export function plainCommands(names: string, tool: Tool = {}): Readonly<Record<string, Tool>> {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, tool]));
}
