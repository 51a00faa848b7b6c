/**
 * Finds the words that a rule for a program does not cover (GT-35): options and sub-commands known to start another
 * program, to change configuration, or to send or reach elsewhere. A rule covers them only if its own words name them.
 */

import type { Problem } from '../shell/read-options.js';
import { findProgram, firstOperand, takesNext } from './find-program.js';
import { nameSet } from './name-set.js';
import type { Program, Reader, Risk } from './program.js';

type Words = readonly (string | undefined)[];

/** Empty for runners: a rule that names one covers whatever it runs. */
export function findRisks(words: Words): readonly Problem[] {
  const [name] = words;
  const row = name === undefined ? undefined : findProgram(name);
  return row === undefined || row.runs !== undefined
    ? []
    : [...risksFrom(row, words, 1, name ?? ''), ...(row.check?.(words) ?? [])];
}

/** True if a computed word could become one of the program's risks. */
export function hasRiskyOptions(words: Words): boolean {
  const [name] = words;
  const row = name === undefined ? undefined : findProgram(name);
  if (row === undefined || row.runs !== undefined) return false;
  return (row.risks ?? []).length > 0 || row.commands !== undefined || row.check !== undefined;
}

function risksFrom(row: Program, words: Words, from: number, name: string): readonly Problem[] {
  const { commands } = row;
  if (commands === undefined) return checkWords(row, words, from, words.length, name);
  const at = firstOperand(row, words, from);
  const own = checkWords(row, words, from, at < 0 ? words.length : at, name);
  if (at < 0) return own;
  const word = words[at];
  if (word === undefined) return [...own, { at, reason: `which command of ${name} it is, is computed` }];
  const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
  if (command === undefined) {
    const reason = `${name} ${word} is not one of ${name}'s own commands: it may be an alias or a plugin`;
    return [...own, { at, reason }];
  }
  return command.runs !== undefined ? own : [...own, ...risksFrom(command, words, at + 1, `${name} ${word}`)];
}

function checkWords(row: Program, words: Words, from: number, end: number, name: string): readonly Problem[] {
  const { risks } = row;
  if (risks === undefined) return [];
  const problems: Problem[] = [];
  const whole = risks.find((one) => one.always === true);
  if (whole !== undefined) problems.push({ at: from - 1, reason: `${name} ${whole.does}` });
  const first = firstOperand(row, words, from);
  let isOption = true;
  let operands = 0;
  for (let at = from; at < end; at += 1) {
    const word = words[at];
    if (word === undefined) continue;
    if (!isOption || !/^-./.test(word)) operands += 1;
    const given: Given = { word, next: words[at + 1], isFirst: at === first, isOption, operands };
    const risk = risks.find((one) => fits(one, given, row));
    if (risk !== undefined) problems.push({ at, reason: `${name} ${word}: it ${risk.does}` });
    else if (isOption && takesText(row, word)) at += 1;
    if (word === '--') isOption = false;
  }
  return problems;
}

type Given = {
  readonly word: string;
  readonly next: string | undefined;
  readonly isFirst: boolean;
  readonly isOption: boolean;
  /** The number of operands so far. */
  readonly operands: number;
};

function fits(risk: Risk, given: Given, row: Program): boolean {
  const { word, isFirst, isOption, operands } = given;
  if (isFirst && (risk.first?.test(word) === true || nameSet(risk.names).has(`=${word}`))) return true;
  if (risk.words !== undefined && partsOf(word).some((part) => risk.words?.test(part))) return true;
  const isOperand = !isOption || !/^-./.test(word);
  if (isOperand) return risk.mostOperands !== undefined && operands > risk.mostOperands;
  const value = word.startsWith('--') ? fitsLong(risk, given, row) : fitsLetters(risk, given, row);
  return value !== undefined && risk.unless?.test(value) !== true;
}

/** The word, and the value in it. */
function partsOf(word: string): readonly string[] {
  const value = /^--?[\w.-]+=([\s\S]*)$/.exec(word)?.[1];
  return value === undefined ? [word] : [word, value];
}

/** The option's value, if it is the risky one. */
function fitsLong(risk: Risk, { word, next }: Given, row: Program): string | undefined {
  const [, given = '', value = next ?? ''] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
  if (given === '') return undefined;
  const names = nameSet(risk.names);
  if (names.has(given)) return value;
  // Another option's whole name is no abbreviation.
  if (risk.whole === true || isOwnName(given, row)) return undefined;
  return [...names].some((name) => name.startsWith(given)) ? value : undefined;
}

function isOwnName(given: string, row: Program): boolean {
  const spec: Reader = typeof row.reads === 'object' ? row.reads : {};
  const lists = [spec.longs, spec.longValued, spec.longOptional, row.longValued, row.texts, row.longs];
  return lists.some((list) => nameSet(list).has(given));
}

function fitsLetters(risk: Risk, { word, next }: Given, row: Program): string | undefined {
  const reads: Reader = typeof row.reads === 'object' ? row.reads : {};
  const texts = (row.texts ?? '').split(' ').filter((name) => name.length === 1 && name !== '=');
  const valued = `${reads.valued ?? ''}${row.valued ?? ''}${texts.join('')}`;
  for (let at = 1; at < word.length; at += 1) {
    const letter = word.charAt(at);
    if (risk.letters?.includes(letter) === true) return word.slice(at + 1) || (next ?? '');
    if (valued.includes(letter)) return undefined;
  }
  return undefined;
}

/** The next word is any text: a message, a pattern. */
function takesText(row: Program, word: string): boolean {
  return row.texts !== undefined && takesNext({ texts: row.texts }, word);
}
