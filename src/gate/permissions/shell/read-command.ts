/** Parses a command line with a shell grammar into simple commands, and lists every reason why it is not plain. */

import {
  type ArithmeticExpression,
  type Assignment,
  type Command,
  type CommandArgument,
  forEachChild,
  parse,
  type Redirection,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash';
import { expandPlainBraces, PLAIN_BRACES } from './expand-braces.js';
import { readPlainWord } from './plain-word.js';
import { isHarmlessWhenPrinted } from './printed-word.js';
import { type Doubt, doubtAbout } from './shell-doubts.js';
import {
  type ShellAssignment,
  type ShellCommand,
  type ShellReading,
  type ShellRedirect,
  type ShellWord,
  unreadShell,
} from './shell-reading.js';

/** A longer text is not plain: nobody would read it before allowing it. */
const LONGEST_PLAIN = 10_000;
/** A longer text is not parsed at all. */
const LONGEST_PARSED = 64 * 1024;
/** Bash opens `/dev/tcp/…` and `/dev/udp/…` itself. */
export const NETWORK_DOUBT = 'it opens a network connection';
/** Each opening character may cost the grammar a scan of the rest. */
const MOST_NESTING = 25_000_000;

export function readCommand(text: string): ShellReading {
  if (text.length > LONGEST_PARSED) return unreadShell(text, `it is ${text.length} characters long`);
  if (text.includes('\0')) return unreadShell(text, 'it contains a NUL character');
  if (countOpenings(text) * text.length > MOST_NESTING) return unreadShell(text, 'it may be nested too deep');
  const found = new Findings();
  noteCharacters(text, found);
  try {
    collect(parse(text), found);
  } catch {
    return unreadShell(text, 'the shell grammar could not read it');
  }
  const { failed, commands, looseWords, expands, sets } = found;
  const [doubts, doubtsInBox] = [[...found.doubts], [...found.firm]];
  return { text, parsed: !failed, doubts, doubtsInBox, commands, looseWords, expands, sets };
}

class Findings {
  readonly commands: ShellCommand[] = [];
  readonly looseWords: ShellWord[] = [];
  readonly expands = new Set<string>();
  readonly sets = new Set<string>();
  readonly doubts = new Set<string>();
  readonly firm = new Set<string>();
  /** Nodes that cause no doubt where they are. */
  readonly free = new Set<SyntaxNode>();
  failed = false;

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

function countOpenings(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x28 || code === 0x7b || code === 0x60 || code === 0x5b || code === 0x3c) count += 1;
  }
  return count;
}

function noteCharacters(text: string, found: Findings): void {
  if (text.length > LONGEST_PLAIN) found.doubtFirmly(`it is longer than ${LONGEST_PLAIN} characters`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the point.
  if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(text)) found.doubtFirmly('it contains control characters');
  if (/[\p{Cf}\p{Co}\p{Cn}\p{Cs}]/u.test(text)) found.doubtFirmly('it contains invisible characters');
  if (/(?! )[\p{Zs}\u2028\u2029]/u.test(text)) found.doubtFirmly('it contains spaces that are not plain spaces');
}

/** Walks with its own stack, because commands may nest to any depth. */
function collect(root: SyntaxNode, found: Findings): void {
  const stack: SyntaxNode[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    readNode(node, found);
    const children: SyntaxNode[] = [];
    forEachChild(node, (child) => children.push(child));
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (child !== undefined) stack.push(child);
    }
  }
}

function readNode(node: SyntaxNode, found: Findings): void {
  const doubt = found.free.has(node) ? undefined : doubtAbout(node);
  if (doubt !== undefined) found.doubt(doubt);
  switch (node.type) {
    case 'Command':
      found.commands.push(readSimpleCommand(node, found));
      break;
    case 'Redirected': {
      const redirects = node.redirects.map((redirect) => readRedirect(redirect, found));
      found.commands.push({ words: [], assignments: [], redirects });
      break;
    }
    case 'SimpleExpansion':
      found.expands.add(node.text.slice(1));
      break;
    case 'ParameterExpansion':
      found.expands.add(node.parameter);
      if (node.operation?.type === 'Default' && /=$/.test(node.operation.operator)) found.sets.add(node.parameter);
      break;
    case 'ArithmeticBinary':
      if (/^(?:[^=!<>]|<<|>>)?=$/.test(node.operator)) noteArithmetic(node.left, found);
      break;
    case 'ArithmeticUnary':
      if (/^(?:\+\+|--)$/.test(node.operator)) noteArithmetic(node.operand, found);
      break;
    case 'For':
    case 'Select':
      found.sets.add(node.name.value);
      for (const word of node.wordlist ?? []) found.looseWords.push(readWord(word, found));
      break;
    case 'Case':
      found.looseWords.push(readWord(node.word, found));
      break;
    case 'TestUnary':
      found.commands.push(asTest([plainWord(node.operator), readWord(node.operand, found)]));
      break;
    case 'TestBinary': {
      const [left, right] = [readWord(node.left, found), readWord(node.right, found)];
      // `[[` evaluates these as arithmetic, which may run what a variable contains.
      const isNumeric = /^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator);
      if (isNumeric && ![left, right].every(({ value }) => /^\d+$/.test(value ?? '')))
        found.doubt({ reason: 'it contains shell arithmetic' });
      found.commands.push(asTest([left, plainWord(node.operator), right]));
      break;
    }
    case 'ArrayValue':
      for (const word of node.elements) found.looseWords.push(readWord(word, found));
      break;
  }
}

/** `[[ … ]]` is equivalent to `test`, part by part. */
function asTest(words: readonly ShellWord[]): ShellCommand {
  return { words: [plainWord('test'), ...words], assignments: [], redirects: [] };
}

function plainWord(value: string): ShellWord {
  return { raw: value, value, plain: true, glob: false, home: false };
}

/** `i` in `i = 0` and `i++`. */
function noteArithmetic(changed: ArithmeticExpression, found: Findings): void {
  if (changed.type === 'ArithmeticWord') found.sets.add(changed.value);
}

function readSimpleCommand(command: Command, found: Findings): ShellCommand {
  const name = command.name === undefined ? undefined : readWord(command.name, found);
  const args = command.args.flatMap((word) => readArgument(word, name?.value === 'echo', found));
  const words = name === undefined ? args : [name, ...args];
  if (
    name !== undefined &&
    (name.value === undefined || !/^[\x21-\x7e]+$/.test(name.value) || /^[={}~]/.test(name.raw))
  )
    found.doubtFirmly('the name of a program in it is not a plain word');
  if (name?.glob) found.doubtFirmly('the name of a program in it is a pattern');
  const assignments = command.prefix
    .filter((part): part is Assignment => part.type === 'Assignment')
    .map((part) => readAssignment(part, found));
  if (words.length === 0 && assignments.length > 0) found.doubt({ reason: 'it sets a variable' });
  return { words, assignments, redirects: command.redirects.map((redirect) => readRedirect(redirect, found)) };
}

/** Reads a word of a command. Plain braces yield several words; a word that `echo` prints, or a program reads, may be computed. */
function readArgument(word: CommandArgument, isPrinted: boolean, found: Findings): readonly ShellWord[] {
  if (word.type === 'Word' && PLAIN_BRACES.test(word.text)) {
    const spelled = expandPlainBraces(word.text);
    if (spelled !== undefined) return spelled.map((value) => ({ ...plainWord(value), spelled: true as const }));
    found.doubt({ reason: 'it contains a brace expansion with very many words' });
  }
  const [part, ...more] = word.type === 'Word' ? (word.parts ?? []) : [];
  if (part?.type === 'ProcessSubstitution' && part.operator === '<' && part.script !== undefined && more.length === 0) {
    found.free.add(part);
    // Read like standard input; the commands that write it are judged like all others.
    return [{ ...plainWord('-'), raw: word.text }];
  }
  if (word.type === 'Word' && isPrinted && isHarmlessWhenPrinted(word)) {
    for (const part of word.parts ?? [])
      if (part.type === 'DoubleQuoted') for (const one of part.parts) found.free.add(one);
    return [{ raw: word.text, value: undefined, plain: true, glob: false, home: false }];
  }
  return [readWord(word, found)];
}

function readWord(word: CommandArgument, found: Findings): ShellWord {
  if (word.type === 'Assignment') {
    const own = readPlainWord(word.text);
    found.sets.add(word.name);
    found.doubt({ reason: 'it declares a variable' });
    return { raw: word.text, value: own.plain ? own.value : undefined, plain: false, glob: false, home: false };
  }
  const raw = word.text;
  const own = readPlainWord(raw);
  const parts = word.parts ?? [];
  if (own.plain && own.value === word.value && parts.every(isPlainPart))
    return { raw, value: own.value, plain: true, glob: own.glob, home: own.home };
  found.doubt({ reason: own.plain ? 'a word in it can be read in two ways' : `a word in it contains ${own.reason}` });
  const known = parts.length > 0 ? parts.every(isKnownPart) : own.plain && own.value === word.value;
  return { raw, value: known ? word.value : undefined, plain: false, glob: own.plain && own.glob, home: false };
}

function isPlainPart(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
      return true;
    case 'Glob':
      return (part.parts ?? []).every(isPlainPart);
    case 'DoubleQuoted':
      return part.parts.every((child) => child.type === 'Literal');
    default:
      return false;
  }
}

/** The value is known although its spelling is not plain. */
function isKnownPart(part: WordPart): boolean {
  return isPlainPart(part) || part.type === 'AnsiCQuoted';
}

function readAssignment(assignment: Assignment, found: Findings): ShellAssignment {
  const { name, text: raw, value, index } = assignment;
  found.sets.add(name);
  if (value.type === 'ArrayValue' || index !== undefined) {
    found.doubt({ reason: 'it sets an array' });
    return { name, raw, value: undefined };
  }
  return { name, raw, value: readWord(value, found).value };
}

function readRedirect(redirect: Redirection, found: Findings): ShellRedirect {
  if (redirect.type === 'HereDoc') {
    const { text } = redirect.body;
    if (redirect.closing === undefined) found.doubtFirmly('a text in it (<<) has no end');
    if (redirect.delimiter?.quoted !== true && /[$`\\]/.test(text))
      found.doubt({ reason: 'a text in it (<<) is expanded' });
    return { kind: 'body', text };
  }
  if (redirect.target === undefined) {
    found.doubt({ reason: 'a redirection in it leads nowhere', firm: true, unparsed: true });
    return { kind: 'duplicate' };
  }
  const target = readWord(redirect.target, found);
  if (redirect.type === 'HereString') return { kind: 'body', text: target.value ?? target.raw };
  return { kind: redirectKind(redirect.operator, redirect.target, target, found), target };
}

function redirectKind(operator: string, written: Word, target: ShellWord, found: Findings) {
  if (/^\/dev\/(tcp|udp)\//.test(target.value ?? '')) found.doubtFirmly(NETWORK_DOUBT);
  if (written.text === '!') found.doubtFirmly('some shells read >! as another redirection');
  if (target.glob) found.doubt({ reason: 'a redirection in it goes to a pattern' });
  const duplicates = (operator === '>&' || operator === '<&') && /^(?:\d+-?|-)$/.test(target.value ?? '');
  if (duplicates) return 'duplicate' as const;
  if (operator === '<') return 'read' as const;
  return operator === '>>' || operator === '&>>' ? ('append' as const) : ('write' as const);
}
