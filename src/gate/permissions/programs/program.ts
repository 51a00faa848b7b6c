/**
 * What the gate knows about one program: one row of the table in `rows/`. The judge, the sandbox, suggestions and the docs
 * read it, so adding a program is adding a row.
 */

import type { Finding } from '../shell/finding.js';
import type { OptionSpec } from '../shell/read-options.js';
import type { ShellWord } from '../shell/shell-reading.js';

export type Program = {
  /** Proof by its words alone that it only reads, for machines without a sandbox. Absent: it is never proven. */
  readonly reads?: Reader | ((words: readonly string[]) => Finding | undefined);
  /**
   * In the reading sandbox it can change nothing: `any` words, or the objection to these. Absent: it does not run there.
   * Programs that it runs are judged separately (`wraps`).
   */
  readonly confined?: 'any' | ((words: readonly ShellWord[]) => string | undefined);
  /** The sandbox changes its answer: what it can't see there, as in "processes outside the sandbox". */
  readonly blindTo?: string;
  /** Plain queries that only read, as words: `ls`, `pkg get`. They run confined and in a trusted folder, because of the project's files. */
  readonly queries?: readonly Query[];
  /**
   * It runs what it is given, so a rule that names it covers whatever it runs (GT-35): shell text, code in another language,
   * what the project configures, a package that it may fetch first, something on another machine or in a container.
   */
  readonly runs?: 'shell' | 'code' | 'project' | 'package' | 'remote';
  /** It runs the command in its own words: a rule must cover that one. `unclear`: where it begins can't be told. */
  readonly wraps?: ((words: readonly ShellWord[]) => Wrapped) | 'unclear';
  /** It needs privileges or namespaces of its own, which no sandbox gives: it always asks. */
  readonly privileged?: true;
  /** It can send any file to any place. */
  readonly sends?: true;
  /** Options and subcommands that a rule for the program does not cover, unless the rule's own words name them. */
  readonly risks?: readonly Risk[];
  /** Options whose value, in the next word, is any text: a message, a pattern. */
  readonly texts?: string;
  /** Its subcommands. Any other is not covered by a rule for the program: an alias or a plugin. */
  readonly commands?: Readonly<Record<string, Program>>;
  /** What it destroys with these arguments, for people (GT-11). */
  readonly destroys?: (args: readonly string[]) => string | undefined;
  /** Word patterns that make a sensible prefix rule, without the name: `test`, `run NAME`, `SCRIPT`; empty: the name alone. */
  readonly prefixes?: readonly string[];
};

export type Reader = OptionSpec & {
  /** The meaning of operands. Default: files to read. */
  readonly operands?: 'files' | 'text' | 'none';
  readonly mostOperands?: number;
  /** Options whose value is any text, like a delimiter. Other values in separate words are also checked as paths. */
  readonly texts?: string;
  /** Given a folder, it follows the links inside. */
  readonly filesOnly?: true;
  /** Arguments that start with `@` name a file with more arguments. */
  readonly argumentFiles?: true;
};

export type Query = {
  readonly words: string;
  /** Options that only narrow it. */
  readonly options?: RegExp;
  /** Further plain words narrow it too. */
  readonly more?: true;
};

export type Risk = {
  /** Long names without dashes, space-separated; abbreviations count too. A leading `=` means an operand: `=run`. */
  readonly names?: string;
  /** Letters of short options, also in a cluster. */
  readonly letters?: string;
  /** Operands or values that match. */
  readonly words?: RegExp;
  /** What it does then, after the program's name: "runs another program", "changes git's configuration". */
  readonly does: string;
};

/** What a wrapper runs: commands in its words, texts for a shell, and the variables that it sets for them. */
export type Wrapped =
  | {
      readonly ok: true;
      readonly commands: readonly (readonly ShellWord[])[];
      readonly texts: readonly string[];
      readonly sets: readonly string[];
    }
  | { readonly ok: false; readonly reason: string };
