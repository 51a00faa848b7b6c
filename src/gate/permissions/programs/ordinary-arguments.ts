/** Finds the arguments that a rule naming a program does not cover (GT-29), each as a problem at its word. */

import { type GivenOption, type Problem, type ReadOptions, readOptions } from '../shell/read-options.js';
import { BUILD_TOOLS } from './build-tools.js';
import { FILE_TOOLS } from './file-tools.js';
import { SCRIPT_TOOLS } from './script-tools.js';
import type { Tool } from './tool.js';
import { findUnlisted } from './unlisted-options.js';

const TOOLS: Readonly<Record<string, Tool>> = { ...SCRIPT_TOOLS, ...BUILD_TOOLS, ...FILE_TOOLS };

export function isTool(name: string): boolean {
  return Object.hasOwn(TOOLS, name);
}

/** The limit for programs that start each other. */
const DEEPEST = 8;

export function findUncovered(words: readonly string[], depth = 0): readonly Problem[] {
  const name = words[0] ?? '';
  if (depth > DEEPEST) return [{ at: words.length, reason: 'too many programs start each other' }];
  const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  if (tool !== undefined) {
    const module = /^python|^pypy/.test(name) ? findModule(words) : undefined;
    if (module !== undefined) return checkInner(words, module, depth);
    return name === 'tar' ? checkTar(words, tool) : checkTool(words, 1, tool, depth);
  }
  if (LAUNCHERS.has(name)) return checkLauncher(words, depth);
  // A script that the rule names by its path: all following words belong to the script.
  if (name.includes('/')) return [];
  return checkUnlisted(words, 1, depth);
}

/** Programs that start the one named by their first operand. */
const LAUNCHERS = new Set(['npx', 'bunx', 'pnpx', 'uvx']);

function checkLauncher(words: readonly string[], depth: number): readonly Problem[] {
  const { operands, problems } = readOptions(words, 1, {
    stops: true,
    flags: 'yq',
    longs: 'yes no quiet no-install bun',
  });
  const at = operands[0]?.at;
  const own = problems.map((problem) => unlisted(words[0] ?? '', words, problem.at));
  return at === undefined ? own : [...own, ...checkInner(words, at, depth)];
}

function checkUnlisted(words: readonly string[], from: number, depth: number): readonly Problem[] {
  const { problems, inner } = findUnlisted(words, from);
  return inner === undefined || inner >= words.length ? problems : [...problems, ...checkInner(words, inner, depth)];
}

/** The rule must name the program that is started, and its arguments are judged like any others. */
function checkInner(words: readonly string[], at: number, depth: number): readonly Problem[] {
  const own = findUncovered(words.slice(at), depth + 1).map((problem) => ({ ...problem, at: problem.at + at }));
  return [{ at, reason: `${words[0]} runs another program (${words[at]})` }, ...own];
}

/** `tar xf` is `tar -xf`. Without the dash, each letter takes its value from the following words in turn. */
function checkTar(words: readonly string[], tool: Tool): readonly Problem[] {
  const [, letters = '-'] = words;
  if (letters.startsWith('-')) return checkTool(words, 1, tool, 0);
  const isPlain = [...letters.replace(/f$/, '')].every((letter) => tool.flags?.includes(letter) === true);
  return isPlain ? checkTool(words.with(1, `-${letters}`), 1, tool, 0) : [unlisted('tar', words, 1)];
}

/** `python -m pytest -x`: the module's own arguments follow. */
function findModule(words: readonly string[]): number | undefined {
  const at = words.findIndex((word, index) => index > 0 && (word === '-m' || !/^-[uBOEsSIqvb]+$/.test(word)));
  return words[at] === '-m' && at + 1 < words.length ? at + 1 : undefined;
}

function checkTool(words: readonly string[], from: number, tool: Tool, depth: number): readonly Problem[] {
  const name = words[0] ?? '';
  if (tool.free === true) return [];
  const given = tool.single === true ? words.map((word, at) => (at < from ? word : widen(word))) : words;
  // Only up to the sub-command, which has its own options.
  const spec = tool.commands === undefined ? tool : stopping(tool);
  const end = spec.stops === true ? -1 : given.indexOf('--', from);
  const read = readOptions(end < 0 ? given : given.slice(0, end), from, spec);
  const problems = read.problems.map(({ at }) => unlisted(name, words, at));
  for (const option of read.options) if (!fits(option, tool)) problems.push(unlisted(name, words, option.at));
  const [first] = read.operands;
  if (tool.commands !== undefined && (tool.first === undefined || Object.hasOwn(tool.commands, first?.value ?? '')))
    return [...problems, ...checkCommand(words, first, tool.commands, depth)];
  const rest = end < 0 || tool.after !== undefined ? [] : words.map((value, at) => ({ value, at })).slice(end + 1);
  for (const { value, at } of rest) if (/^-./.test(value)) problems.push(unlisted(name, words, at));
  if (end >= 0 && tool.after !== undefined) problems.push(...checkTool(words, end + 1, tool.after, depth));
  const all = { options: read.options, operands: [...read.operands, ...rest] };
  return [...problems, ...checkOperands(words, from, tool, all)];
}

type Given = Pick<ReadOptions, 'operands' | 'options'>;

function checkOperands(words: readonly string[], from: number, tool: Tool, given: Given): readonly Problem[] {
  const name = words[0] ?? '';
  const { operands, options } = given;
  const names = new Set(options.map((option) => option.name));
  const problems: Problem[] = [];
  for (const { value, at } of operands) {
    if (tool.assigns === true && value.includes('='))
      problems.push({ at, reason: `${value} changes what ${name} runs` });
    if (tool.local === true && /^[^/]*:/.test(value))
      problems.push({ at, reason: `${name} starts a remote shell for ${value}` });
    if (tool.operand?.(value, names) === false)
      problems.push({ at, reason: `${name} may do more with ${value} than a rule covers` });
  }
  const [first] = operands;
  const isQuery = options.some((option) => (tool.queries ?? /^(?:version|help)$/).test(option.name));
  if (tool.first !== undefined && (first === undefined ? !isQuery : !tool.first.test(first.value)))
    problems.push({ at: first?.at ?? words.length, reason: `it is not visible which program ${name} runs` });
  if (tool.argumentFiles === true)
    words.forEach((word, at) => {
      if (at >= from && word.startsWith('@')) problems.push(unlisted(name, words, at));
    });
  const { changes } = tool;
  if (changes !== undefined && !options.some((option) => changes.unless.test(option.name))) {
    const places = [...operands, ...options.filter((option) => changes.from.test(option.name))].map(({ at }) => at);
    const at = places.length === 0 ? words.length : Math.max(...places);
    problems.push({ at, reason: `it is not visible what ${name} changes` });
  }
  return problems;
}

const STOPPING = new WeakMap<Tool, Tool>();

/** Returns the same object each time, because the parsed options are cached by it. */
function stopping(tool: Tool): Tool {
  const made = STOPPING.get(tool) ?? { ...tool, stops: true };
  STOPPING.set(tool, made);
  return made;
}

function checkCommand(
  words: readonly string[],
  first: { readonly value: string; readonly at: number } | undefined,
  commands: Readonly<Record<string, Tool>>,
  depth: number,
): readonly Problem[] {
  if (first === undefined) return [];
  const command = Object.hasOwn(commands, first.value) ? commands[first.value] : undefined;
  if (command !== undefined) return checkTool(words, first.at + 1, command, depth);
  const reason = `${words.slice(0, first.at + 1).join(' ')} is not one of the commands a general rule covers`;
  return [{ at: first.at, reason }, ...checkUnlisted(words, first.at + 1, depth)];
}

function fits(option: GivenOption, tool: Tool): boolean {
  const wanted = tool.values?.[option.name];
  return wanted === undefined || wanted.test(option.value);
}

/** `-run` as `--run`, so that it is read as one name. */
function widen(word: string): string {
  return /^-[A-Za-z]/.test(word) ? `-${word}` : word;
}

function unlisted(name: string, words: readonly string[], at: number): Problem {
  return { at, reason: `${name}'s ${words[at]} is not one of the ordinary options that a rule covers` };
}
