/** awk and less: programs with their own language, in the forms that can only print. */

import type { Finding, PathUse } from '../../shell/finding.js';
import { type OptionSpec, readOptions } from '../../shell/read-options.js';

/** Some versions don't know long options with a value, and take the value for the script. */
const AWK: OptionSpec = { valued: 'F', longs: 'version', stops: true };

/** Undefined unless it can only print. An operand with `=` sets a variable. */
export function examineAwk(words: readonly string[]): Finding | undefined {
  const { operands, problems } = readOptions(words, 1, AWK);
  const [script, ...files] = operands;
  const isSafe = script === undefined || isSafeAwkScript(script.value);
  if (problems.length > 0 || !isSafe || files.some(({ value }) => value.includes('='))) return undefined;
  return readsFiles(files.filter(({ value }) => value !== '-'));
}

function readsFiles(files: readonly { readonly value: string; readonly at: number }[]): Finding {
  const paths = files.map(({ value, at }): PathUse => ({ at, path: value, use: 'read', filesOnly: true }));
  return { reads: true, problems: [], paths };
}

/** Fields, numbers, strings, comparisons and `print`. Any other word may be a function that does more. */
const AWK_TOKEN =
  /\$?\d+|\$NF|"[^"\\\n]*"|\b(?:print|NR|NF|FNR|BEGIN|END|next|length|sum|count|total|n|i|max|min)\b|[{}(),;]|==|!=|>=|<=|&&|\|\||\+\+|\+=|!?~|[!+*%=-]/y;
/** Versions disagree where a pattern with a bracket ends, except for the plainest. */
const AWK_PATTERN = /\/(?:[^/\\\n[\]]|\[\^?[\w .-]+\]|\\[.|*+?(){}^$dws-])+\//y;
/** After these, a slash starts a pattern; after a value it divides, and code follows. */
const BEFORE_PATTERN = /^(?:[{}(,;!]|!?~|&&|\|\||)$/;
const LONGEST_AWK = 500;

function isSafeAwkScript(script: string): boolean {
  if (script.length > LONGEST_AWK) return false;
  let before = '';
  let prints = false;
  for (let at = 0; at < script.length; ) {
    if (/[ \t\n]/.test(script.charAt(at))) {
      at += 1;
      continue;
    }
    const token = script.charAt(at) === '/' ? AWK_PATTERN : AWK_TOKEN;
    if (token === AWK_PATTERN && !BEFORE_PATTERN.test(before)) return false;
    token.lastIndex = at;
    const found = token.exec(script)?.[0];
    if (found === undefined) return false;
    // After `print`, some versions take the first character as a file or a program.
    if (prints && (found === '>=' || found === '||')) return false;
    prints = found === 'print' || (prints && !/^[{};]$/.test(found));
    before = found;
    at += found.length;
  }
  return true;
}

const LESS: OptionSpec = { flags: 'EFNRSXeimnq' };

/**
 * Undefined unless it can only print: it does without a terminal, and where it only reads it runs with LESSSECURE=1 and
 * without LESSOPEN. A word with `+` is a command.
 */
export function examineLess(words: readonly string[]): Finding | undefined {
  const { operands, problems } = readOptions(words, 1, LESS);
  return problems.length > 0 || operands.some(({ value }) => value.startsWith('+')) ? undefined : readsFiles(operands);
}
