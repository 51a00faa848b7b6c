/**
 * Splits code into tokens with colours. A terminal shows a handful of kinds, so patterns for comments and strings and a
 * list of keywords are enough; a grammar would cost more than everything else about a reply.
 */

import { stripControls } from '../../../../gate/permissions/strip-controls.js';
import type { TokenKind } from '../../theme/theme.js';
import { expandTabs } from '../spans.js';
import { findLanguage, type Language } from './languages.js';

export type CodeToken = { readonly kind: TokenKind | undefined; readonly text: string };

/** Longer code is shown without colours: nobody waits for them. */
const MOST_CHARS = 60_000;
const LONGEST_LINE = 2_000;

/** The tokens of each line. Never fails: unknown code is text. */
export function codeLines(code: string, language: string): readonly (readonly CodeToken[])[] {
  const text = expandTabs(stripControls(code));
  const known = text.length > MOST_CHARS || isTooWide(text) ? undefined : findLanguage(language);
  if (known === undefined)
    return text.split('\n').map((line): readonly CodeToken[] => [{ kind: undefined, text: line }]);
  const lines: CodeToken[][] = [[]];
  for (const token of tokensOf(text, known)) addToken(lines, token);
  return lines;
}

function addToken(lines: CodeToken[][], { kind, text }: CodeToken): void {
  if (!text.includes('\n')) {
    lines.at(-1)?.push({ kind, text });
    return;
  }
  for (const [index, piece] of text.split('\n').entries()) {
    if (index > 0) lines.push([]);
    if (piece !== '') lines.at(-1)?.push({ kind, text: piece });
  }
}

function* tokensOf(text: string, language: Language): Generator<CodeToken, void, undefined> {
  const form = formOf(language);
  let plain = 0;
  form.lastIndex = 0;
  for (let found = form.exec(text); found !== null; found = form.exec(text)) {
    const kind = kindOf(found, text, language);
    if (kind === undefined) continue;
    if (found.index > plain) yield { kind: undefined, text: text.slice(plain, found.index) };
    yield { kind, text: found[0] };
    plain = found.index + found[0].length;
  }
  if (plain < text.length) yield { kind: undefined, text: text.slice(plain) };
}

const NUMBER = '\\b\\d(?:[\\w.]*\\w)?';
const WORD = '[\\p{L}_$][\\p{L}\\p{N}_$]*[?!]?';
const TAG = '<\\/?[A-Za-z][\\w:.-]*|\\/?>';
const ATTRIBUTE = '[\\w:@.-]+(?==)';
const VALUE = '(?<==)(?:"[^"]*"?|\'[^\']*\'?)';

const forms = new WeakMap<Language, RegExp>();

/** One expression per language: the match decides the kind of token. */
function formOf(language: Language): RegExp {
  const known = forms.get(language);
  if (known !== undefined) return known;
  const { comments, strings, isMarkup } = language;
  const parts = isMarkup
    ? [`(?<comment>${comments.join('|')})`, `(?<string>${VALUE})`, `(?<tag>${TAG})`, `(?<attribute>${ATTRIBUTE})`]
    : [
        `(?<comment>${comments.join('|')})`,
        `(?<string>${strings.join('|')})`,
        `(?<number>${NUMBER})`,
        `(?<word>${WORD})`,
      ];
  const made = new RegExp(parts.join('|'), 'gu');
  forms.set(language, made);
  return made;
}

function kindOf(
  { groups = {}, 0: text, index }: RegExpExecArray,
  code: string,
  language: Language,
): TokenKind | undefined {
  const { comment, string, number, word, tag, attribute } = groups;
  if (comment !== undefined) return 'comment';
  if (string !== undefined) return language.hasKeys && isKey(code, index + text.length) ? 'name' : 'string';
  if (number !== undefined) return 'number';
  if (tag !== undefined) return 'keyword';
  if (attribute !== undefined) return 'name';
  return word === undefined ? undefined : kindOfWord(word, code, index + text.length, language);
}

function kindOfWord(word: string, code: string, end: number, language: Language): TokenKind | undefined {
  const { words, ignoresCase, hasTypes, hasKeys } = language;
  if (words.has(ignoresCase ? word.toLowerCase() : word)) return 'keyword';
  if (code[end] === '(') return 'function';
  if (hasKeys && isKey(code, end)) return 'name';
  return hasTypes && /^\p{Lu}/u.test(word) ? 'type' : undefined;
}

/** True if a colon or an equals sign follows. */
function isKey(code: string, end: number): boolean {
  let at = end;
  while (code[at] === ' ') at += 1;
  return code[at] === ':' || code[at] === '=';
}

function isTooWide(text: string): boolean {
  for (let from = 0; ; ) {
    const end = text.indexOf('\n', from);
    if ((end === -1 ? text.length : end) - from > LONGEST_LINE) return true;
    if (end === -1) return false;
    from = end + 1;
  }
}
