/**
 * Renders a skill: substitutes arguments and variables (EX-12), and extracts the commands to run (EX-13). The text is
 * parsed before the substitution, so that no argument can become a placeholder, a command or a fence. Pure.
 */

import { parseBody } from './parse-body.js';
import { type KnownNames, type Piece, type Placeholder, placeholderReader, readOutsideShell } from './placeholders.js';
import { type CommandPiece, quoteWords, readCommand } from './read-command.js';
import { splitWords } from './split-words.js';

export type RenderFacts = {
  /** As typed. */
  readonly args: string;
  readonly argumentNames: readonly string[];
  /** By the name in `${…}`: `CLAUDE_SKILL_DIR`, `user_config.key`. */
  readonly variables: Readonly<Record<string, string>>;
};

export type RenderedPart =
  | { readonly kind: 'text'; readonly text: string }
  /** Arguments in it are quoted. */
  | { readonly kind: 'shell'; readonly command: string };

type Segment =
  | { readonly kind: 'text'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'shell'; readonly pieces: readonly CommandPiece[] };

export function renderSkill(body: string, facts: RenderFacts): readonly RenderedPart[] {
  const segments = parseSegments(body, facts);
  const values = new Values(facts, countsFromZero(segments));
  const parts: RenderedPart[] = [];
  const addText = (text: string) => {
    const last = parts.at(-1);
    if (last?.kind === 'text') parts[parts.length - 1] = { kind: 'text', text: last.text + text };
    else if (text !== '') parts.push({ kind: 'text', text });
  };
  for (const segment of segments) {
    if (segment.kind === 'text') addText(segment.pieces.map((piece) => values.inText(piece)).join(''));
    else parts.push({ kind: 'shell', command: segment.pieces.map((piece) => values.inCommand(piece)).join('') });
  }
  if (!values.wereUsed && facts.args.trim() !== '') addText(`\n\nARGUMENTS: ${facts.args}`);
  return parts;
}

function parseSegments(body: string, { argumentNames, variables }: RenderFacts): readonly Segment[] {
  const known = (isVariable: KnownNames['isVariable']) => placeholderReader({ argumentNames, isVariable });
  const isVariable = (name: string) => lookUp(variables, name) !== undefined;
  const read = known(isVariable);
  // A plugin's option is never part of a command: its processes have it in their environment (EX-20).
  const readInShell = known((name) => !name.startsWith('user_config.') && isVariable(name));
  return parseBody(body).map((part) =>
    part.kind === 'shell'
      ? { kind: 'shell', pieces: readCommand(part.command, readInShell) }
      : { kind: 'text', pieces: readOutsideShell(part.text, part.kind, read) },
  );
}

/** `$1` is the first argument, unless the text has a `$0` or `$ARGUMENTS[n]` (#92171). */
function countsFromZero(segments: readonly Segment[]): boolean {
  return segments.some(({ pieces }) =>
    pieces.some((piece) => {
      if (typeof piece === 'string') return false;
      const { placeholder } = piece;
      return placeholder.kind === 'index' || (placeholder.kind === 'position' && placeholder.number === 0);
    }),
  );
}

class Values {
  private readonly words: readonly string[];
  /** True if any argument was substituted. */
  wereUsed = false;

  constructor(
    private readonly facts: RenderFacts,
    private readonly fromZero: boolean,
  ) {
    this.words = splitWords(facts.args);
  }

  inText(piece: Piece): string {
    if (typeof piece === 'string') return piece;
    return this.find(piece.placeholder)?.text ?? piece.written;
  }

  inCommand(piece: CommandPiece): string {
    if (typeof piece === 'string') return piece;
    const found = this.find(piece.placeholder);
    if (found === undefined) return piece.written;
    return quoteWords(piece.isOneWord ? [found.text] : found.words, piece);
  }

  private find(placeholder: Placeholder): { readonly text: string; readonly words: readonly string[] } | undefined {
    const { args, variables } = this.facts;
    if (placeholder.kind === 'variable') {
      const text = lookUp(variables, placeholder.name);
      return text === undefined ? undefined : { text, words: [text] };
    }
    if (placeholder.kind === 'all') {
      this.wereUsed = true;
      return { text: args, words: this.words };
    }
    const text = this.words[this.indexOf(placeholder)];
    if (text === undefined) return undefined;
    this.wereUsed = true;
    return { text, words: [text] };
  }

  private indexOf(placeholder: Exclude<Placeholder, { kind: 'variable' | 'all' }>): number {
    if (placeholder.kind !== 'position') return placeholder.index;
    return this.fromZero ? placeholder.number : placeholder.number - 1;
  }
}

function lookUp(variables: RenderFacts['variables'], name: string): string | undefined {
  return Object.hasOwn(variables, name) ? variables[name] : undefined;
}

/** Paths in `allowed-tools`. */
const PATHS =
  /(?<before>^[^(]*\()?\$\{(?<name>(?:CLAUDE_(?:SKILL_DIR|PROJECT_DIR)|(?:CLAUDE_)?PLUGIN_(?:ROOT|DATA)))\}/g;
const PATH_TOOLS = /^\s*(?:Read|Edit|MultiEdit|Write|Grep|Glob|NotebookEdit|NotebookRead|LS)\s*\($/;

/**
 * A path with characters that are special in a rule (`*`, parentheses, quotes) is not substituted: such a rule allows
 * nothing. At the start of a file rule, `/x` would be relative to a settings file, so it becomes `//x`.
 */
export function substituteRules(rules: readonly string[], variables: RenderFacts['variables']): readonly string[] {
  return rules.map((rule) => {
    const isBash = /^\s*Bash\s*\(/.test(rule);
    return rule.replace(PATHS, (whole, ...rest) => {
      const { before = '', name } = rest.at(-1) as { before?: string; name: string };
      const path = lookUp(variables, name);
      if (path === undefined || !/^[\p{L}\p{N} @%+=:,._/-]+$/u.test(path)) return whole;
      if (PATH_TOOLS.test(before) && path.startsWith('/')) return `${before}/${path}`;
      return `${before}${isBash && path.includes(' ') ? `'${path}'` : path}`;
    });
  });
}
