/**
 * The last resort for deny rules, when a command can't be read: do the denied words appear in the text, in order?
 * Quotes and backslashes are dropped first, as a shell would. It denies too much on purpose.
 */

import { type CommandPattern, matchStars } from '../rules/command-pattern.js';
import { programName } from './wrappers.js';

const BETWEEN_WORDS = /[^\p{L}\p{N}_./-]+/u;

export function scanText(text: string, pattern: CommandPattern): boolean {
  const bare = text
    .replace(/\\\n/g, '')
    .replace(/["'\\]/g, '')
    .normalize('NFKC');
  if (pattern.form === 'wild') return matchStars(`*${pattern.text}*`, bare);
  const tokens = bare.split(BETWEEN_WORDS);
  const [name, ...rest] = pattern.words;
  if (name === undefined) return false;
  const wanted = programName(name);
  const first = tokens.findIndex((token) => programName(token) === wanted);
  if (first < 0) return false;
  let at = first;
  return rest
    .flatMap((word) => word.split(BETWEEN_WORDS))
    .filter((word) => word !== '')
    .every((word) => {
      // Letters of an option may come in another order or apart; their presence can't be told from text. Skip them.
      if (/^-[A-Za-z]+$/.test(word)) return true;
      at = tokens.indexOf(word, at + 1);
      return at >= 0;
    });
}
