/** Reads lists in front matter: separated by spaces or commas, or a YAML list (EX-8). Pure. Undefined: not a list. */

import type { RawField } from '../definitions/definition-fields.js';

/** Reads tool rules. Text in parentheses is not split: `Bash(git log:*)`. */
export function rulesOf(field: RawField): readonly string[] | undefined {
  const texts = textsOf(field, PARENTHESES);
  return texts && joinSplit(texts.flatMap((text) => splitOutside(text, PARENTHESES)));
}

/** Reads file patterns. Text in braces is not split: `src/*.{ts,tsx}`; nor are the items of a YAML list. */
export function patternsOf(field: RawField): readonly string[] | undefined {
  const texts = textsOf(field, BRACES);
  if (texts === undefined) return undefined;
  const isList = Array.isArray(field.value) && texts.length === field.value.length;
  return texts.flatMap((text) => (isList ? [text.trim()] : splitOutside(text, BRACES))).filter((text) => text !== '');
}

/** Reads names of arguments. Also accepts the notation of hints (`<issue> [branch]`), and a list of `name: …`. */
export function argumentsOf({ value, text }: RawField): readonly string[] | undefined {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value ?? text ?? ''];
  const names = items.map((item) => {
    if (typeof item === 'object' && item !== null) return (item as { readonly name?: unknown }).name;
    return item;
  });
  if (!names.every((name) => typeof name === 'string' || typeof name === 'number')) return undefined;
  return names
    .flatMap((name) => String(name).split(/[\s,]+/))
    .map((name) => name.replace(/^[$<[{("'`]+|[>\]})"'`]+$/g, ''))
    .filter((name) => name !== '');
}

/** The texts of a field's items, or its whole text if YAML split an item at a comma. */
function textsOf({ value, text }: RawField, marks: Marks): readonly string[] | undefined {
  if (typeof value === 'string') return [(text ?? value).replace(/^\s*\[(.*)\]\s*$/s, '$1')];
  if (value === null || value === undefined) return /^(null|~)?$/i.test(text ?? '') ? [] : [text ?? ''];
  if (!Array.isArray(value)) return undefined;
  if (value.every((item) => typeof item === 'string' && isBalanced(item, marks))) return value;
  const isWritten = value.every((item) => typeof item === 'string' || typeof item === 'object');
  return isWritten && text?.startsWith('[') === true ? [text.replace(/^\[|\]$/g, '')] : undefined;
}

type Marks = readonly [open: string, close: string];

const PARENTHESES: Marks = ['(', ')'];
const BRACES: Marks = ['{', '}'];

function isBalanced(text: string, [open, close]: Marks): boolean {
  return text.split(open).length === text.split(close).length;
}

/** Splits at spaces and commas that are neither in brackets nor in quotes. */
function splitOutside(text: string, [open, close]: Marks): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = '';
  let part = '';
  const end = () => {
    if (part !== '') parts.push(part.replace(/^(["'`])(.*)\1$/s, '$2'));
    part = '';
  };
  for (const character of text) {
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (depth === 0 && part === '' && /["'`]/.test(character)) quote = character;
    else if (character === open) depth++;
    else if (character === close) depth = Math.max(0, depth - 1);
    else if (depth === 0 && /[\s,]/.test(character)) {
      end();
      continue;
    }
    part += character;
  }
  end();
  return parts.filter((each) => each !== '' && each !== '-');
}

/** Joins `Bash (git log:*)` into one rule, because `Bash` alone would allow far more. */
function joinSplit(parts: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.startsWith('(') && last !== undefined && !last.endsWith(')')) joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  return [...new Set(joined)];
}
