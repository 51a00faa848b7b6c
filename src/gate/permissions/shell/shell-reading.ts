/** What a command line comes to when it is read: a flat list of simple commands, and what keeps it from being plain. */

export type ShellReading = {
  readonly text: string;
  /** False when the grammar could not make sense of all of it: `commands` is then only what could be seen. */
  readonly parsed: boolean;
  /** Why it is not plain words and simple commands only; empty when it is. */
  readonly doubts: readonly string[];
  /** Every simple command in it, however deep: substitutions, functions and bodies included. */
  readonly commands: readonly ShellCommand[];
};

export type ShellCommand = {
  /** The name first. Empty for a bare assignment or redirection. */
  readonly words: readonly ShellWord[];
  readonly assignments: readonly ShellAssignment[];
  readonly redirects: readonly ShellRedirect[];
};

export type ShellWord = {
  readonly raw: string;
  /** The word as the program gets it; undefined when that is known only when it runs. */
  readonly value: string | undefined;
  readonly plain: boolean;
  readonly glob: boolean;
  readonly home: boolean;
};

export type ShellAssignment = { readonly name: string; readonly raw: string; readonly value: string | undefined };

export type ShellRedirect =
  | { readonly kind: 'read' | 'write' | 'append'; readonly target: ShellWord }
  /** Copies or closes a descriptor: touches no file. */
  | { readonly kind: 'duplicate' }
  /** Text from the command line itself. */
  | { readonly kind: 'body'; readonly text: string };
