/** Parses a command line with a shell grammar into simple commands, and lists every reason why it is not plain. */

import {
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
import { readPlainWord } from './plain-word.js';
import type { ShellAssignment, ShellCommand, ShellReading, ShellRedirect, ShellWord } from './shell-reading.js';

/** A longer text is not plain: nobody reads it before allowing it. */
const LONGEST_PLAIN = 10_000;
/** A longer text is not parsed at all. */
const LONGEST_PARSED = 64 * 1024;
/** Each opening character may cost the grammar a scan of the rest. */
const MOST_NESTING = 25_000_000;

export function readCommand(text: string): ShellReading {
  if (text.length > LONGEST_PARSED) return unread(text, `it is ${text.length} characters long`);
  if (text.includes('\0')) return unread(text, 'it contains a NUL character');
  if (countOpenings(text) * text.length > MOST_NESTING) return unread(text, 'it may be nested too deep');
  const found: Findings = { commands: [], doubts: new Set(), failed: false };
  noteCharacters(text, found);
  try {
    collect(parse(text), found);
  } catch {
    return unread(text, 'the shell grammar could not read it');
  }
  return { text, parsed: !found.failed, doubts: [...found.doubts], commands: found.commands };
}

type Findings = { readonly commands: ShellCommand[]; readonly doubts: Set<string>; failed: boolean };

function countOpenings(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x28 || code === 0x7b || code === 0x60 || code === 0x5b || code === 0x3c) count += 1;
  }
  return count;
}

function unread(text: string, reason: string): ShellReading {
  return { text, parsed: false, doubts: [reason], commands: [] };
}

function noteCharacters(text: string, found: Findings): void {
  if (text.length > LONGEST_PLAIN) found.doubts.add(`it is longer than ${LONGEST_PLAIN} characters`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the point.
  if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(text)) found.doubts.add('it contains control characters');
  if (/[\p{Cf}\p{Co}\p{Cn}\p{Cs}]/u.test(text)) found.doubts.add('it contains invisible characters');
  if (/(?! )[\p{Zs}\u2028\u2029]/u.test(text)) found.doubts.add('it contains spaces that are not plain spaces');
}

/** Walks with its own stack, because commands may nest to any depth. */
function collect(root: SyntaxNode, found: Findings): void {
  const stack: SyntaxNode[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.type === 'Script' && 'errors' in node && node.errors !== undefined && node.errors.length > 0) {
      found.failed = true;
      found.doubts.add(`the shell grammar could not read it (${node.errors[0]?.message ?? 'error'})`);
    }
    if (node.type === 'Command') found.commands.push(readSimpleCommand(node, found));
    else noteNode(node, found);
    const children: SyntaxNode[] = [];
    forEachChild(node, (child) => children.push(child));
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (child !== undefined) stack.push(child);
    }
  }
}

/** Transparent nodes are silent; every other node is a doubt with its reason. */
function noteNode(node: SyntaxNode, found: Findings): void {
  const doubt = (reason: string) => found.doubts.add(reason);
  switch (node.type) {
    case 'CommandExpansion':
    case 'ArithmeticCommandExpansion':
      // A substitution that was not parsed hides what it runs.
      if (node.script === undefined) found.failed = true;
      doubt('it contains a command substitution');
      break;
    case 'ProcessSubstitution':
      if (node.script === undefined) found.failed = true;
      doubt('it contains a process substitution');
      break;
    case 'SimpleExpansion':
    case 'ParameterExpansion':
      doubt('it contains a variable expansion');
      break;
    case 'ArithmeticExpansion':
    case 'ArithmeticCommand':
      doubt('it contains shell arithmetic');
      break;
    case 'BraceExpansion':
      doubt('it contains a brace expansion');
      break;
    case 'ExtendedGlob':
      doubt('it contains an extended pattern');
      break;
    case 'AnsiCQuoted':
    case 'LocaleString':
      doubt('it contains a $\'…\' or $"…" string');
      break;
    case 'Function':
      doubt('it defines a function');
      break;
    case 'For':
    case 'ArithmeticFor':
    case 'While':
    case 'Select':
      doubt('it contains a loop');
      break;
    case 'Case':
      doubt('it contains a case statement');
      break;
    case 'Coproc':
      doubt('it starts a coprocess');
      break;
    case 'TestCommand':
      doubt('it contains a [[ ]] test');
      break;
    case 'ArrayValue':
      doubt('it sets an array');
      break;
  }
}

function readSimpleCommand(command: Command, found: Findings): ShellCommand {
  const named = command.name === undefined ? [] : [command.name];
  const words = [...named, ...command.args].map((word) => readWord(word, found));
  const name = words[0];
  if (
    name !== undefined &&
    (name.value === undefined || !/^[\x21-\x7e]+$/.test(name.value) || /^[={}~]/.test(name.raw))
  )
    found.doubts.add('the name of a program in it is not a plain word');
  if (name?.glob) found.doubts.add('the name of a program in it is a pattern');
  const assignments = command.prefix
    .filter((part): part is Assignment => part.type === 'Assignment')
    .map((part) => readAssignment(part, found));
  if (words.length === 0 && assignments.length > 0) found.doubts.add('it sets a variable');
  return { words, assignments, redirects: command.redirects.map((redirect) => readRedirect(redirect, found)) };
}

function readWord(word: CommandArgument, found: Findings): ShellWord {
  if (word.type === 'Assignment') {
    const own = readPlainWord(word.text);
    found.doubts.add('it declares a variable');
    return { raw: word.text, value: own.plain ? own.value : undefined, plain: false, glob: false, home: false };
  }
  const raw = word.text;
  const own = readPlainWord(raw);
  const parts = word.parts ?? [];
  if (own.plain && own.value === word.value && parts.every(isPlainPart))
    return { raw, value: own.value, plain: true, glob: own.glob, home: own.home };
  found.doubts.add(own.plain ? 'a word in it can be read in two ways' : `a word in it contains ${own.reason}`);
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
  if (value.type === 'ArrayValue' || index !== undefined) {
    found.doubts.add('it sets an array');
    return { name, raw, value: undefined };
  }
  return { name, raw, value: readWord(value, found).value };
}

function readRedirect(redirect: Redirection, found: Findings): ShellRedirect {
  if (redirect.descriptor?.type === 'FileDescriptorVariable') found.doubts.add('it puts a descriptor into a variable');
  if (redirect.type === 'HereDoc') {
    const { text } = redirect.body;
    if (redirect.closing === undefined) found.doubts.add('a text in it (<<) has no end');
    if (redirect.delimiter?.quoted !== true && /[$`\\]/.test(text)) found.doubts.add('a text in it (<<) is expanded');
    return { kind: 'body', text };
  }
  if (redirect.target === undefined) {
    found.failed = true;
    return { kind: 'duplicate' };
  }
  const target = readWord(redirect.target, found);
  if (redirect.type === 'HereString') return { kind: 'body', text: target.value ?? target.raw };
  return { kind: redirectKind(redirect.operator, redirect.target, target, found), target };
}

function redirectKind(operator: string, written: Word, target: ShellWord, found: Findings) {
  if (/^\/dev\/(tcp|udp)\//.test(target.value ?? '')) found.doubts.add('it opens a network connection');
  if (written.text === '!') found.doubts.add('some shells read >! as another redirection');
  if (target.glob) found.doubts.add('a redirection in it goes to a pattern');
  const duplicates = (operator === '>&' || operator === '<&') && /^(?:\d+-?|-)$/.test(target.value ?? '');
  if (duplicates) return 'duplicate' as const;
  if (operator === '<') return 'read' as const;
  return operator === '>>' || operator === '&>>' ? ('append' as const) : ('write' as const);
}
