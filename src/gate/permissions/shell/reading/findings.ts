/** What reading a command line finds: its commands and words, and every reason why it is not plain. */

import type { CommandExpansionPart, SyntaxNode } from 'unbash';
import type { Doubt } from './shell-doubts.js';
import type { ShellCommand, ShellWord } from './shell-reading.js';

type ParsedScript = NonNullable<CommandExpansionPart['script']>;

export class Findings {
  constructor(
    readonly text: string,
    /** The simple commands of a substitution. */
    readonly readScript: (script: ParsedScript) => readonly ShellCommand[],
  ) {}

  readonly commands: ShellCommand[] = [];
  readonly looseWords: ShellWord[] = [];
  readonly expands = new Set<string>();
  readonly sets = new Set<string>();
  readonly doubts = new Set<string>();
  readonly firm = new Set<string>();
  readonly values = new Map<string, ShellWord[]>();
  /** What the shell evaluates as numbers: a variable there may contain code. */
  readonly numbers = new Set<string>();
  /** Nodes that cause no doubt where they are. */
  readonly free = new Set<SyntaxNode>();
  failed = false;

  noteValue(name: string, words: readonly ShellWord[]): void {
    this.sets.add(name);
    this.values.set(name, [...(this.values.get(name) ?? []), ...words]);
  }

  /** It is set to something that is not a word of the line. */
  noteUnknown(name: string): void {
    this.noteValue(name, [{ raw: '', value: undefined, plain: false, glob: false, home: false }]);
  }

  /** Numbers are harmless, and so are variables that only this line sets, to numbers. */
  findEvaluated(): readonly string[] {
    const isNumeric = (name: string) => {
      const values = this.values.get(name);
      return (
        values?.every(({ raw }) => /^(?:\d+|\{\d+\.\.\d+\}|\$\(\([\w\s+*/%-]+\)\)|\$\(seq [\d ]+\))$/.test(raw)) ===
        true
      );
    };
    const isHarmless = (text: string) => {
      const name = /^\$?\{?(\w+)\}?$/.exec(text)?.[1];
      return /^(?:\d+|[?#])$/.test(name ?? text.replace('$', '')) || (name !== undefined && isNumeric(name));
    };
    const odd = [...this.numbers].find((text) => !isHarmless(text.trim()));
    return odd === undefined ? [] : [`it evaluates ${odd} as a number, which may run what it contains`];
  }

  doubt({ reason, firm, unparsed }: Doubt): void {
    this.doubts.add(reason);
    if (firm) this.firm.add(reason);
    this.failed ||= unparsed === true;
  }

  /** Adds a doubt that applies wherever the command runs. */
  doubtFirmly(reason: string): void {
    this.doubt({ reason, firm: true });
  }
}
