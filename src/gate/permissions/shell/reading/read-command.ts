/** Parses a command line with a shell grammar into simple commands, and lists every reason why it is not plain. */

import {
  type ArithmeticExpression,
  type Assignment,
  type Command,
  forEachChild,
  parse,
  type Redirection,
  type SyntaxNode,
  type Word,
} from 'unbash';
import { Findings } from './findings.js';
import { plainWord, readArgument, readWord } from './read-word.js';
import { BACKGROUND, doubtAbout } from './shell-doubts.js';
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
  const found: Findings = new Findings(text, (script) => readScript(text, script, 0));
  noteCharacters(text, found);
  try {
    collect(parse(text), found);
  } catch {
    return unreadShell(text, 'the shell grammar could not read it');
  }
  const { failed, commands, looseWords, expands, sets, values } = found;
  const [doubts, doubtsInBox] = [[...found.doubts], [...found.firm]];
  const evaluates = [...[...found.firm].filter((reason) => reason !== BACKGROUND), ...found.findEvaluated()];
  return { text, parsed: !failed, doubts, doubtsInBox, commands, looseWords, evaluates, expands, sets, values };
}

const DEEPEST_SCRIPT = 4;

/** Each level is read again for the one around it, so deep ones are left out: their words count as computed by anything. */
function readScript(text: string, script: SyntaxNode, depth: number): readonly ShellCommand[] {
  if (depth >= DEEPEST_SCRIPT) return [];
  const found = new Findings(text, (inner) => readScript(text, inner, depth + 1));
  collect(script, found);
  return found.commands;
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
      const text = node.redirects.map(({ pos, end }) => found.text.slice(pos, end)).join(' ');
      found.commands.push({ words: [], assignments: [], redirects, text });
      break;
    }
    case 'SimpleExpansion':
      found.expands.add(node.text.slice(1));
      break;
    case 'ParameterExpansion':
      found.expands.add(node.parameter);
      if (node.index !== undefined && !/^(?:\d+|[@*])$/.test(node.index.text)) found.numbers.add(node.index.text);
      if (node.operation?.type === 'Slice')
        for (const word of [node.operation.offset, node.operation.length]) if (word) found.numbers.add(word.text);
      if (node.operation?.type === 'Default' && /=$/.test(node.operation.operator)) found.noteUnknown(node.parameter);
      break;
    case 'ArithmeticWord':
      found.numbers.add(node.value);
      break;
    case 'ArithmeticBinary':
      if (/^(?:[^=!<>]|<<|>>)?=$/.test(node.operator)) noteArithmetic(node.left, found);
      break;
    case 'ArithmeticUnary':
      if (/^(?:\+\+|--)$/.test(node.operator)) noteArithmetic(node.operand, found);
      break;
    case 'For':
    case 'Select': {
      const words = (node.wordlist ?? []).flatMap((word) => readArgument(word, false, found));
      found.noteValue(node.name.value, words);
      found.looseWords.push(...words);
      break;
    }
    case 'Case':
      found.looseWords.push(readWord(node.word, found));
      break;
    case 'TestUnary':
      found.commands.push(asTest([plainWord(node.operator), readWord(node.operand, found)], textOf(node, found)));
      break;
    case 'TestBinary': {
      const [left, right] = [readWord(node.left, found), readWord(node.right, found)];
      // `[[` evaluates these as arithmetic, which may run what a variable contains.
      const isNumeric = /^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator);
      if (isNumeric && ![left, right].every(({ value }) => /^\d+$/.test(value ?? '')))
        found.doubt({ reason: 'it contains shell arithmetic' });
      if (isNumeric) for (const { raw } of [left, right]) found.numbers.add(raw.replace(/"/g, ''));
      found.commands.push(asTest([left, plainWord(node.operator), right], textOf(node, found)));
      break;
    }
    case 'ArrayValue':
      for (const word of node.elements) found.looseWords.push(readWord(word, found));
      break;
  }
}

/** `[[ … ]]` is equivalent to `test`, part by part. */
function asTest(words: readonly ShellWord[], text: string): ShellCommand {
  return { words: [plainWord('test'), ...words], assignments: [], redirects: [], text };
}

function textOf({ pos, end }: { readonly pos: number; readonly end: number }, found: Findings): string {
  return found.text.slice(pos, end);
}

/** `i` in `i = 0` and `i++`. */
function noteArithmetic(changed: ArithmeticExpression, found: Findings): void {
  if (changed.type === 'ArithmeticWord') found.noteUnknown(changed.value);
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
  const redirects = command.redirects.map((redirect) => readRedirect(redirect, found));
  return { words, assignments, redirects, text: textOf(command, found) };
}

function readAssignment(assignment: Assignment, found: Findings): ShellAssignment {
  const { name, text: raw, value, index } = assignment;
  found.sets.add(name);
  if (index !== undefined) found.numbers.add(index.text);
  if (value.type === 'ArrayValue' || index !== undefined) {
    found.doubt({ reason: 'it sets an array' });
    found.noteValue(name, []);
    return { name, raw, value: undefined };
  }
  const word = readWord(value, found);
  found.noteValue(name, [word]);
  return { name, raw, value: word.value };
}

function readRedirect(redirect: Redirection, found: Findings): ShellRedirect {
  if (redirect.type === 'HereDoc') {
    const { text } = redirect.body;
    if (redirect.closing === undefined) found.doubtFirmly('a text in it (<<) has no end');
    if (redirect.delimiter?.quoted !== true && /[$`\\]/.test(text))
      found.doubt({ reason: 'a text in it (<<) is expanded' });
    const isLiteral = redirect.delimiter?.quoted === true || !/[$`\\]/.test(text);
    return { kind: 'body', text, ...(isLiteral ? { literal: true } : {}) };
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
