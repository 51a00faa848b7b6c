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
  /** The doubts that apply even where rules cover every command: it evaluates text that is known only when it runs. */
  readonly evaluates: readonly string[];
  /** The variables it expands, and those it sets by assignment, loop or declaration. */
  readonly expands: ReadonlySet<string>;
  readonly sets: ReadonlySet<string>;
  /** What variables are set to: by assignments and loops, as written. */
  readonly values: ReadonlyMap<string, readonly ShellWord[]>;
};

export type ShellCommand = {
  /** The name first. Empty for a bare assignment or redirection, and for the redirections of a group, loop or test. */
  readonly words: readonly ShellWord[];
  readonly assignments: readonly ShellAssignment[];
  readonly redirects: readonly ShellRedirect[];
  /** As written. */
  readonly text: string;
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
  /** How it comes about, if its value is not known. */
  readonly computed?: Computed;
};

export type Computed = {
  /** The literal text before what is computed. */
  readonly start: string;
  /** It stays one word: what is computed is in double quotes. */
  readonly isOneWord: boolean;
  /** Its parts are literal text, plain variables and substitutions; no operation on them. */
  readonly isPlain: boolean;
  readonly variables: readonly string[];
  /** The commands of each substitution in it. */
  readonly scripts: readonly (readonly ShellCommand[])[];
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
    evaluates: [reason],
    expands: none,
    sets: none,
    values: new Map(),
  };
}

export type ShellRedirect =
  | { readonly kind: 'read' | 'write' | 'append'; readonly target: ShellWord }
  /** Copies or closes a descriptor; touches no file. */
  | { readonly kind: 'duplicate' }
  /** Text from the command line itself. `literal`: the shell does not expand it. */
  | { readonly kind: 'body'; readonly text: string; readonly literal?: true };
