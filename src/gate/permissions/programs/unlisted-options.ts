/**
 * Options of a program without a table. They are ordinary only if their name has none of the meanings that a rule must
 * spell out: run or load something, another folder, another configuration, a file to write.
 */

import type { Problem } from '../shell/read-options.js';

const MEANINGS = `
  exec eval command cmd run script shell program prog bin binary tool plugin extension load loader import require preload hook
  callback pre post editor pager browser rsh ssh helper wrapper interpreter executable runner
  config configuration conf cfg rc settings setting option property define set env environ var
  dir directory cwd chdir root prefix home path workdir folder
  file output out log dump save write dest destination target trace profile report archive
  tmp temp template include lib library module classpath agent
  proxy socket server registry source from init startup filter
  user sudo privileged host mount volume device password key cert credential auth unsafe trust
  java node python ruby perl sh bash`
  .split(/\s+/)
  .filter((word) => word !== '');

/** Letters that most programs use for a plain switch or number. */
const PLAIN_LETTERS = /^-[abghijklnpqstuvwyzABNQUVYZ\d]+$/;

/** Names that mean the same in every program. */
const PLAIN_NAMES = new Set(
  `all all-targets check ci color colour count debug dry-run force format help ignore-case interactive json keep-going limit
  list long name no-cache no-color number only parallel quiet recursive release retries short silent sort staged strict
  summary tag timeout verbose version watch workspace yaml yes`.split(/\s+/),
);

/** Words that make a program start another one. */
const STARTS = /^(?:exec|execute|eval|run|x|dlx|shell|sh|bash|zsh|spawn|console|repl|ssh)$/;

export type Unlisted = {
  readonly problems: readonly Problem[];
  /** The index at which another program starts. */
  readonly inner?: number;
};

export function findUnlisted(words: readonly string[], from: number): Unlisted {
  const problems: Problem[] = [];
  for (let at = from; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const reason = objectTo(word, words[0] ?? '');
    if (reason !== undefined) problems.push({ at, reason });
    if (STARTS.test(word)) return { problems, inner: words[at + 1] === '--' ? at + 2 : at + 1 };
  }
  return { problems };
}

function objectTo(word: string, name: string): string | undefined {
  if (STARTS.test(word)) return `${name} may run another program with ${word}`;
  if (/^[A-Za-z_]\w*(?:::?|\+|\?)?=/.test(word)) return `${word} may change what ${name} runs`;
  if (/^[@+]/.test(word)) return `${name} may read more arguments from ${word}`;
  if (!/^-./.test(word) || word === '--' || PLAIN_LETTERS.test(word)) return undefined;
  if (/^--/.test(word) && hasPlainName(word)) return undefined;
  return `${name}'s ${word} may run a program, write a file, or change the folder or the configuration`;
}

function hasPlainName(word: string): boolean {
  const name = word.replace(/^--/, '').replace(/=[\s\S]*$/, '');
  if (!/^[A-Za-z][\w.-]*$/.test(name)) return false;
  const whole = name.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase();
  if (PLAIN_NAMES.has(whole)) return true;
  return whole
    .replace(/^no-/, '')
    .split(/[-_.]/)
    .every((part) => !MEANINGS.some((meaning) => carries(part, meaning)));
}

/** An abbreviation may stand for the whole: `--scr`. */
function carries(part: string, meaning: string): boolean {
  if (part === meaning || (part.length >= 3 && meaning.startsWith(part))) return true;
  return meaning.length >= 4 && part.includes(meaning);
}
