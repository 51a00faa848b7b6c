/** The parsed form of a command line: a flat list of simple commands, and the reasons why it is not plain. */

export type ShellReading = {
  readonly text: string;
  /** False if the grammar could not parse all of it; `commands` then contains only what was visible. */
  readonly parsed: boolean;
  /** The reasons why it is more than plain words and simple commands; empty if it isn't. */
  readonly doubts: readonly string[];
  /** The doubts that apply even where the command can only read: what it runs, or where it writes, is unknown. */
  readonly doubtsInBox: readonly string[];
  /** Every simple command in it, however deep, including substitutions, functions and bodies. */
  readonly commands: readonly ShellCommand[];
  /** Words outside simple commands: of loops, tests, cases, arrays. */
  readonly looseWords: readonly ShellWord[];
  /** The variables it expands, and those it sets by assignment, loop or declaration. */
  readonly expands: ReadonlySet<string>;
  readonly sets: ReadonlySet<string>;
};

export type ShellCommand = {
  /** The name first. Empty for a bare assignment or redirection, and for the redirections of a group, loop or test. */
  readonly words: readonly ShellWord[];
  readonly assignments: readonly ShellAssignment[];
  readonly redirects: readonly ShellRedirect[];
};

export type ShellWord = {
  readonly raw: string;
  /** The word as the program gets it; undefined if known only at run time. */
  readonly value: string | undefined;
  readonly plain: boolean;
  readonly glob: boolean;
  readonly home: boolean;
  /** One of the words of a brace expansion, expanded by us. */
  readonly spelled?: true;
};

export type ShellAssignment = { readonly name: string; readonly raw: string; readonly value: string | undefined };

/** The reading of a text that can't be parsed: no commands, and this doubt. */
export function unreadShell(text: string, reason: string): ShellReading {
  const none: ReadonlySet<string> = new Set();
  return {
    text,
    parsed: false,
    doubts: [reason],
    doubtsInBox: [reason],
    commands: [],
    looseWords: [],
    expands: none,
    sets: none,
  };
}

export type ShellRedirect =
  | { readonly kind: 'read' | 'write' | 'append'; readonly target: ShellWord }
  /** Copies or closes a descriptor; touches no file. */
  | { readonly kind: 'duplicate' }
  /** Text from the command line itself. */
  | { readonly kind: 'body'; readonly text: string };
