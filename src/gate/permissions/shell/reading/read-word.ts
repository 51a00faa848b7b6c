/** Reads one word of a command: its value if that is known, otherwise how it is computed. */

import type { CommandArgument, WordPart } from 'unbash';
import { expandPlainBraces, PLAIN_BRACES } from './expand-braces.js';
import type { Findings } from './findings.js';
import { INNER_HOME, readPlainWord } from './plain-word.js';
import { isHarmlessWhenPrinted } from './printed-word.js';
import type { Computed, ShellWord } from './shell-reading.js';

/** Reads a word of a command. Plain braces yield several words; a word that `echo` prints, or a program reads, may be computed. */
export function readArgument(word: CommandArgument, isPrinted: boolean, found: Findings): readonly ShellWord[] {
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
    const computed = describeComputed(word.parts ?? [], found);
    return [{ raw: word.text, value: undefined, plain: true, glob: false, home: false, computed }];
  }
  return [readWord(word, found)];
}

export function readWord(word: CommandArgument, found: Findings): ShellWord {
  if (word.type === 'Assignment') {
    const own = readPlainWord(word.text);
    found.noteValue(word.name, word.value.type === 'Word' ? [readWord(word.value, found)] : []);
    found.doubt({ reason: 'it declares a variable' });
    return { raw: word.text, value: own.plain ? own.value : undefined, plain: false, glob: false, home: false };
  }
  const raw = word.text;
  const own = readPlainWord(raw);
  const parts = word.parts ?? [];
  if (own.plain && own.value === word.value && parts.every(isPlainPart))
    return { raw, value: own.value, plain: true, glob: own.glob, home: own.home };
  found.doubt({ reason: own.plain ? 'a word in it can be read in two ways' : `a word in it contains ${own.reason}` });
  const isLiteral = own.plain ? own.value === word.value : own.reason === INNER_HOME;
  const known = parts.length > 0 ? parts.every(isKnownPart) : isLiteral;
  const glob = own.plain && own.glob;
  if (known) return { raw, value: word.value, plain: false, glob, home: false };
  return { raw, value: undefined, plain: false, glob, home: false, computed: describeComputed(parts, found) };
}

function describeComputed(parts: readonly WordPart[], found: Findings): Computed {
  const flat = parts.flatMap((part): readonly WordPart[] => (part.type === 'DoubleQuoted' ? part.parts : [part]));
  const isLiteral = (part: WordPart) => isKnownPart(part) && part.type !== 'Glob';
  const computedAt = flat.findIndex((part) => !isLiteral(part));
  const scripts = flat.flatMap((part) => (part.type === 'CommandExpansion' && part.script ? [part.script] : []));
  const variables = flat.flatMap((part) => {
    if (part.type === 'SimpleExpansion') return [part.text.slice(1)];
    return part.type === 'ParameterExpansion' ? [part.parameter] : [];
  });
  return {
    start: flat
      .slice(0, computedAt < 0 ? undefined : computedAt)
      .map((part) => ('value' in part ? part.value : ''))
      .join(''),
    isOneWord: parts.every((part) => part.type === 'DoubleQuoted' || isLiteral(part)),
    isPlain: flat.every(
      (part) =>
        isLiteral(part) ||
        part.type === 'SimpleExpansion' ||
        part.type === 'CommandExpansion' ||
        (part.type === 'ParameterExpansion' && part.operation === undefined && part.prefix === undefined),
    ),
    variables,
    scripts: scripts.map(found.readScript),
  };
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

export function plainWord(value: string): ShellWord {
  return { raw: value, value, plain: true, glob: false, home: false };
}
