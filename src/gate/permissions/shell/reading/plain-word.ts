/**
 * Reads one shell word by hand: quotes and backslashes only. It is a second reader in addition to the grammar: a word is
 * plain only if both read the same value, so that a mistake in one of them leads to a question, not to an allow.
 */

export type PlainReading =
  | {
      readonly plain: true;
      readonly value: string;
      /** Has an unquoted `*`, `?` or `[`: the shell may replace it with file names. */
      readonly glob: boolean;
      /** Starts with an unquoted `~` or `~/`: the home folder. */
      readonly home: boolean;
    }
  | { readonly plain: false; readonly reason: string };

/** `--file=~/x`: some shells expand it. */
export const INNER_HOME = 'a ~ that may become the home folder';

/** Characters that may follow a literal `$`. */
const AFTER_BARE_DOLLAR = /^(?:$|[\s/|),.:;\]%^~+=])/;

export function readPlainWord(raw: string): PlainReading {
  let value = '';
  let glob = false;
  let openBraces = 0;
  let brace = false;
  let index = 0;
  const home = raw === '~' || raw.startsWith('~/');
  if (raw.startsWith('~') && !home) return not('a ~ that names a person or an earlier folder');
  while (index < raw.length) {
    const char = raw.charAt(index);
    switch (char) {
      case '\\': {
        const next = raw.charAt(index + 1);
        if (next === '') return not('a backslash at its end');
        if (next !== '\n') value += next;
        index += 2;
        continue;
      }
      case "'": {
        const end = raw.indexOf("'", index + 1);
        if (end < 0) return not('an open quote');
        value += raw.slice(index + 1, end);
        index = end + 1;
        continue;
      }
      case '"': {
        const quoted = readDoubleQuoted(raw, index + 1);
        if ('reason' in quoted) return not(quoted.reason);
        value += quoted.value;
        index = quoted.end;
        continue;
      }
      case '$':
        if (!AFTER_BARE_DOLLAR.test(raw.slice(index + 1, index + 2))) return not('an expansion ($)');
        break;
      case '`':
        return not('a command substitution (`)');
      case '*':
      case '?':
        glob = true;
        break;
      case '[':
        glob ||= raw.includes(']', index + 1);
        break;
      case '{':
        openBraces += 1;
        break;
      case '}':
        openBraces = Math.max(0, openBraces - 1);
        break;
      case ',':
        brace ||= openBraces > 0;
        break;
      case '.':
        brace ||= openBraces > 0 && raw.charAt(index + 1) === '.';
        break;
      case '~':
        if (index > 0 && /[=:]/.test(raw.charAt(index - 1))) return not(INNER_HOME);
        break;
      case '(':
      case ')':
      case '<':
      case '>':
      case '|':
      case '&':
      case ';':
        return not(`an unquoted ${char} inside a word`);
    }
    value += char;
    index += 1;
  }
  if (brace) return not('a brace expansion');
  return { plain: true, value, glob, home };
}

function readDoubleQuoted(raw: string, start: number): { value: string; end: number } | { reason: string } {
  let value = '';
  let index = start;
  while (index < raw.length) {
    const char = raw.charAt(index);
    if (char === '"') return { value, end: index + 1 };
    if (char === '`') return { reason: 'a command substitution (`)' };
    const next = raw.charAt(index + 1);
    if (char === '$' && next !== '"' && !AFTER_BARE_DOLLAR.test(next)) return { reason: 'an expansion ($)' };
    if (char === '\\' && next !== '' && '$`"\\\n'.includes(next)) {
      if (next !== '\n') value += next;
      index += 2;
      continue;
    }
    value += char;
    index += 1;
  }
  return { reason: 'an open quote' };
}

function not(reason: string): PlainReading {
  return { plain: false, reason };
}
