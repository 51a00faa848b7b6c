/**
 * What the gate knows about one program: one row of the table in `rows/`. The judge, the sandbox, suggestions and the docs
 * read it, so adding a program is adding a row.
 */

import type { Finding } from '../shell/finding.js';
import type { OptionSpec, Problem } from '../shell/read-options.js';
import type { ShellWord } from '../shell/reading/shell-reading.js';
import type { FileEdits } from './examine/file-edits.js';

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
  /**
   * Questions for its version or help, which only print. `anywhere`: no project file can swap the program, so it is enough
   * that it lies in a system folder; `trusted`: they run confined, in a trusted folder.
   */
  readonly versions?: { readonly words: readonly string[]; readonly where: 'anywhere' | 'trusted' };
  /** Plain queries that only read, as words: `ls`, `pkg get`. They run confined and in a trusted folder, because of the project's files. */
  readonly queries?: readonly Query[];
  /**
   * It runs what it is given, so a rule that names it covers whatever it runs (GT-35): shell text, code in another language,
   * what the project configures, a package that it may fetch first, something on another machine or in a container.
   */
  readonly runs?: 'shell' | 'code' | 'project' | 'package' | 'remote';
  /** Its own language is in its operands, not only behind an option: awk, vim. */
  readonly code?: 'operands';
  /** Its words may name a command that it starts: for deny rules each of them counts. */
  readonly launches?: true;
  /** It runs the command in its own words: a rule must cover that one. `unclear`: where it begins can't be told. */
  readonly wraps?: ((words: readonly ShellWord[]) => Wrapped) | 'unclear';
  /** It wraps a command only behind an option of its own, and does something itself: find, fd. */
  readonly wrapsByOption?: true;
  /** A builtin that sets these variables, or the reason why their names can't be told. */
  readonly sets?: (words: readonly ShellWord[]) => readonly string[] | string;
  /** A builtin that changes how the shell goes on: covered only by a rule that spells out the whole command. */
  readonly shell?: true;
  /** It needs privileges or namespaces of its own, which no sandbox gives: it always asks. */
  readonly privileged?: true;
  /** It talks to a service that starts containers. */
  readonly containers?: true;
  /** It can send any file to any place. */
  readonly sends?: true;
  /** Options and subcommands that a rule for the program does not cover, unless the rule's own words name them. */
  readonly risks?: readonly Risk[];
  /** What its options can't express: a script that runs or writes something. */
  readonly check?: (words: readonly (string | undefined)[]) => readonly Problem[];
  /** Letters of options that take a value, so that what is attached to them is no further option. */
  readonly valued?: string;
  /** Long options with a value in the next word. */
  readonly longValued?: string;
  /** Further long options: whole names, so that they are no abbreviations of a risk. */
  readonly longs?: string;
  /** Options whose value, in the next word, is any text: a message, a pattern. `=`: its operands are text. */
  readonly texts?: string;
  /** Options whose value is a file that it writes. `=`: its operands are what it changes. */
  readonly writes?: string;
  /** A file command: what it does to which files, where an edit mode allows it (GT-36). */
  readonly edits?: (words: readonly string[]) => FileEdits;
  /** The forms that only create files and folders, which edit modes may allow. */
  readonly creates?: OptionSpec;
  /** Its subcommands. Any other is not covered by a rule for the program: an alias or a plugin. */
  readonly commands?: Readonly<Record<string, Program>>;
  /** What it destroys with these arguments, for people (GT-11). */
  readonly destroys?: (args: readonly string[]) => string | undefined;
  /** Word patterns that make a sensible prefix rule, without the name: `test`, `run NAME`, `SCRIPT`; empty: the name alone. */
  readonly prefixes?: readonly string[];
};

export type Reader = OptionSpec & {
  /** The meaning of operands, or whether it still reads with these. Default: files to read. */
  readonly operands?: 'files' | 'text' | 'none' | OperandTest;
  readonly mostOperands?: number;
  /** Options whose value is any text, like a delimiter. Other values in separate words are also checked as paths. */
  readonly texts?: string;
  /** Given a folder, it follows the links inside. */
  readonly filesOnly?: true;
  /** Arguments that start with `@` name a file with more arguments. */
  readonly argumentFiles?: true;
  /** True if it prints contents of files from git's store; absent: never. */
  readonly prints?: OperandTest;
};

export type OperandTest = (options: ReadonlySet<string>, operands: readonly string[]) => boolean;

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
  /** Words that match, options among them, and values after `=`. */
  readonly words?: RegExp;
  /** A first operand that matches. */
  readonly first?: RegExp;
  /** Not with such a value of the option. */
  readonly unless?: RegExp;
  /** More operands than that. */
  readonly mostOperands?: number;
  /** The sub-command as such. */
  readonly always?: true;
  /** Its long names can't be abbreviated. */
  readonly whole?: true;
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
