/** Finds the allow rule that covers a command as the person who wrote it meant it (GT-35). */

import { dirname, join } from 'node:path';
import type { Resolver } from '../../paths/resolver.js';
import type { Policy } from '../../policy.js';
import { findCommand, findProgram } from '../../programs/find-program.js';
import { hasRiskyOptions } from '../../programs/find-risks.js';
import type { Program } from '../../programs/program.js';
import { namedWords } from '../../rules/command-pattern.js';
import { isSaidHere, type Rule } from '../../rules/rule.js';
import type { PathObjection } from '../assess-paths.js';
import type { Finding } from '../finding.js';
import type { ShellCommand, ShellReading, ShellWord } from '../reading/shell-reading.js';
import { isNoOption } from './known-values.js';
import { findNeeded, objectToQuietRepo, objectToRepo } from './repository-objections.js';
import { makesText, namesThings } from './text-makers.js';

export type CoverInput = {
  readonly reading: ShellReading;
  readonly cwds: readonly string[];
  readonly policy: Policy;
  readonly resolver: Resolver;
  /** Allow rules about commands; empty where only proof applies. */
  readonly rules: readonly Rule[];
};

export type Covered =
  | {
      readonly ok: true;
      readonly rule: Rule;
      readonly isRunner: boolean;
      readonly programs: 'on' | 'off';
      readonly containers: boolean;
    }
  | { readonly ok: false; readonly reason: string; readonly nearest?: Rule; readonly needsTrust?: true };

type Refused = Extract<Covered, { ok: false }>;

/** No word of a command has it. */
const COMPUTED = '\0';

/** `as wrapper`: only a rule that names what the wrapper runs, not the wrapper alone. */
export function coverByRule(
  command: ShellCommand,
  finding: Finding,
  objections: readonly PathObjection[],
  input: CoverInput,
  as: 'command' | 'wrapper' = 'command',
): Covered {
  const words = command.words.map(({ value }) => value ?? COMPUTED);
  const found = findCommand(command.words.map(({ value }) => value));
  const row = found?.row;
  let nearest: Refused | undefined;
  for (const rule of input.rules) {
    const named = countNamed(rule, words);
    if (named === undefined) continue;
    const part: Part = { command, words, row, at: found?.at ?? 0, finding, objections, rule, named };
    const refused = as === 'wrapper' ? refuseWrapper(part) : refuse(part, input);
    if (refused === undefined) {
      const programs = objectToRepo(finding, words, input, 'on') === undefined ? 'on' : 'off';
      return { ok: true, rule, isRunner: runsAnything(part), programs, containers: reachesContainers(part) };
    }
    nearest ??= { ...refused, nearest: rule };
  }
  return nearest ?? { ok: false, reason: describeUncovered(command.words, row, finding, objections, input) };
}

/** The number of words that the rule names: for a rule about every command, all of them. */
function countNamed({ matches }: Rule, words: readonly string[]): number | undefined {
  if (matches.kind === 'every') return Number.POSITIVE_INFINITY;
  return matches.kind === 'command' ? namedWords(matches.pattern, words) : undefined;
}

type Part = {
  readonly command: ShellCommand;
  readonly words: readonly string[];
  readonly row: Program | undefined;
  /** The index of the subcommand. */
  readonly at: number;
  readonly finding: Finding;
  readonly objections: readonly PathObjection[];
  readonly rule: Rule;
  readonly named: number;
};

function describeUncovered(
  words: readonly ShellWord[],
  row: Program | undefined,
  finding: Finding,
  objections: readonly PathObjection[],
  { policy }: CoverInput,
): string {
  const name = words[0]?.value ?? COMPUTED;
  const { problems } = finding;
  if (finding.confinedOnly === true) return `the project may make ${name} run something`;
  if (problems[0] !== undefined && finding.reads) return problems[0].reason;
  const changed = row?.edits?.(words.map(({ value }) => value ?? COMPUTED)).uses.find(({ does }) => does !== 'read');
  if (changed !== undefined && changed.path !== COMPUTED)
    return `it ${changed.does === 'remove' ? 'deletes' : 'changes'} ${changed.path}`;
  if (objections[0]?.byNature === true) return `no rule allows ${name}, and it changes files`;
  if (objections[0] !== undefined) return objections[0].reason;
  const made = finding.edits === true ? finding.paths.find(({ use }) => use === 'write') : undefined;
  if (made !== undefined && policy.mode !== 'acceptEdits') return `it changes ${made.path}`;
  if (name === COMPUTED) return 'the name of a program in it is computed';
  const computed = words.find(({ value, plain }) => value === undefined || !plain);
  if (computed !== undefined && (row?.reads !== undefined || row?.confined !== undefined))
    return `what ${computed.raw} stands for is known only when it runs`;
  const [unproven] = finding.unproven ?? [];
  if (unproven !== undefined) return unproven.reason;
  return `no rule allows ${name}, and it is not known to only read`;
}

/** A rule that names only the wrapper does not say what may run. */
function refuseWrapper({ named, row, command }: Part): Refused | undefined {
  const wrapped = typeof row?.wraps === 'function' ? row.wraps(command.words) : undefined;
  const [inner] = wrapped?.ok === true ? wrapped.commands : [];
  const start = inner === undefined ? command.words.length : command.words.indexOf(inner[0] as ShellWord);
  if (inner === undefined ? named > 1 && !/^-/.test(command.words[1]?.value ?? '-') : start >= 0 && named > start)
    return undefined;
  return { ok: false, reason: `${command.words[0]?.raw} runs another program` };
}

/** A rule that names an interpreter, a script or a build tool covers whatever that runs. */
function runsAnything({ row, words, rule }: Part): boolean {
  return rule.matches.kind === 'every' || row?.runs !== undefined || (words[0] ?? '').includes('/');
}

function refuse(part: Part, input: CoverInput): Refused | undefined {
  const { row, words, rule } = part;
  const { policy } = input;
  const [name = ''] = words;
  const isExact = rule.matches.kind === 'command' && rule.matches.pattern.form === 'exact';
  const needsBox = policy.box !== undefined && findPrivileged(part);
  if (needsBox && !isExact) return against(`${name} needs privileges that a confined command does not have`);
  const repo =
    part.finding.repo === true
      ? (objectToQuietRepo(part.finding, words, input) ?? findNeeded(part.finding, words, input))
      : undefined;
  if (repo !== undefined) return { ...against(repo), needsTrust: true };
  if (
    row?.wraps !== undefined &&
    rule.matches.kind !== 'every' &&
    row.runs === undefined &&
    row.wrapsByOption !== true
  ) {
    const wrapper = refuseWrapper(part);
    if (wrapper !== undefined) return wrapper;
  }
  const destroyed = rule.matches.kind === 'every' ? undefined : findDestroyed(part, input);
  if (destroyed !== undefined) return against(`it ${destroyed}, which the rule does not name`);
  return runsAnything(part) ? refuseRunner(part, input) : refuseOrdinary(part, input);
}

/** What the rule's own words don't name. */
function findDestroyed({ words, named }: Part, { cwds, resolver }: CoverInput): string | undefined {
  const destroys = findProgram(words[0] ?? '')?.destroys;
  const given = words.slice(1).map((word) => (word === COMPUTED ? '' : word));
  const destroyed = destroys?.(given);
  if (destroyed !== undefined)
    return destroys?.(given.slice(0, Math.max(0, named - 1))) === undefined ? destroyed : undefined;
  // With the name of a file, a checkout throws its changes away.
  const checkout = words[0] === 'git' ? given.indexOf('checkout') : -1;
  const files = checkout < 0 ? [] : given.slice(checkout + 1).filter((word) => word !== '' && !word.startsWith('-'));
  const isFile = (path: string) => cwds.some((cwd) => resolver.resolve(path, cwd).kind !== 'missing');
  return files.some((path, at) => isFile(path) && at + checkout + 2 >= named)
    ? 'throws away changes to files (git checkout)'
    : undefined;
}

/** Only a rule that names such a program means it: one for every command does not. */
function reachesContainers({ words, rule }: Part): boolean {
  return rule.matches.kind !== 'every' && findProgram(words[0] ?? '')?.containers === true;
}

function findPrivileged({ row, words }: Part): boolean {
  return row?.privileged === true || findProgram(words[0] ?? '')?.privileged === true;
}

function refuseRunner(part: Part, input: CoverInput): Refused | undefined {
  const { rule, words, row } = part;
  const { policy } = input;
  const [name = ''] = words;
  const isRunner = row?.runs !== undefined || name.includes('/');
  if (isRunner && !policy.trusted && !isSaidHere(rule))
    return {
      ...against(`${name} may run what the project contains, and the folder is not trusted`),
      needsTrust: true,
    };
  const fetched = row?.runs === 'package' ? findFetched(part, input) : undefined;
  if (fetched !== undefined) return against(`${name} would fetch the package ${fetched}, which is not installed here`);
  if (policy.box !== undefined) return undefined;
  if (!isRunner) {
    // No mount keeps git's configuration.
    const [problem] = name === 'git' ? part.finding.problems : [];
    if (problem !== undefined) return against(problem.reason);
    if (name === 'git' && policy.worktree !== undefined && !part.finding.reads && part.finding.edits !== true)
      return against('git may change other branches than its own, and nothing here prevents it');
    return namesComputedPath(part) ? against(NOTHING_PROTECTS) : undefined;
  }
  if (policy.worktree !== undefined)
    return against(`${name} may change the checkout this worktree was made from, and nothing here prevents it`);
  if (
    policy.rules.some(
      ({ behavior, tool, matches }) => behavior !== 'allow' && tool !== 'Bash' && matches.kind === 'path',
    )
  )
    return against(`${name} may use a file that a rule denies, and nothing here hides it`);
  return undefined;
}

/** A computed word of a program that changes files may lead anywhere. */
function namesComputedPath({ command, finding, row }: Part): boolean {
  if (row?.texts === '=' || (finding.reads && finding.problems.length === 0)) return false;
  const { words } = command;
  return words.some(({ value }, at) => value === undefined && !takesText(row, words[at - 1]?.value));
}

const NOTHING_PROTECTS = 'a word in it is known only when it runs, and nothing here protects what must not change';

/** The package that a package runner would have to fetch. */
function findFetched({ words, at, command, named }: Part, { cwds, resolver }: CoverInput): string | undefined {
  const rest = words.slice(at + 1);
  // A command for the packages that are there.
  if (rest.some((word) => /^(?:-c|--call)(?:=|$)/.test(word))) return undefined;
  const own = rest.findIndex((word) => !/^(?:--yes|-y|--no|--no-install|--quiet|-q|--)$/.test(word));
  const name = rest[own];
  // The rule may name the package itself.
  if (name === undefined || at + 1 + own < named) return undefined;
  const raw = command.words[at + 1 + own]?.raw ?? name;
  if (!/^[\w.-]+$/.test(name)) return raw;
  const isInstalled = cwds.every((cwd) => {
    for (let folder = cwd; ; folder = dirname(folder)) {
      if (resolver.resolve(join('node_modules/.bin', name), folder).kind !== 'missing') return true;
      if (folder === dirname(folder)) return false;
    }
  });
  return isInstalled ? undefined : raw;
}

function refuseOrdinary(part: Part, input: CoverInput): Refused | undefined {
  const { words, row, finding, objections, named, command } = part;
  const { policy } = input;
  const problem = finding.problems.find((one) => one.at >= named && !(finding.reads && one.option === true));
  if (problem !== undefined) return against(problem.reason);
  const isStash =
    words[0] === 'git' && words.includes('stash') && words.some((word) => /^-[a-z]*[ua]|^--(?:a|incl)/.test(word));
  if (isStash && policy.box === undefined) return against('git stash takes protected files away with the others');
  const path = objections.find((one) => !one.byNature && one.at >= named && isReal(one, policy));
  if (path !== undefined) return against(path.reason);
  const lost =
    row?.writes?.split(' ').includes('=') !== true
      ? undefined
      : command.words.find(({ value }, at) => value === undefined && at >= named);
  if (lost !== undefined) return against(`where ${lost.raw} leads is known only when it runs`);
  const computed = findComputed(command.words, named, words);
  return computed === undefined ? undefined : against(computed);
}

/** Where mounts keep it, a word that only may be a protected path is no objection. */
function isReal({ always, use }: PathObjection, { box }: Policy): boolean {
  return box === undefined || always !== true || use === 'write';
}

/** A computed word is covered unless it can become an option, or comes from a command that says more than names. */
function findComputed(words: readonly ShellWord[], named: number, values: readonly string[]): string | undefined {
  const end = values.indexOf('--');
  const isRisky = hasRiskyOptions(values);
  const row = findCommand(words.map(({ value }) => value))?.row;
  for (const [at, word] of words.entries()) {
    if (at < named || (word.value !== undefined && !word.glob)) continue;
    const { start = '', scripts = [], isOneWord = false } = word.computed ?? {};
    const isText = takesText(row, values[at - 1]);
    const isSafePlace = (end >= 0 && at > end) || start !== '' || isText || !isRisky;
    if (scripts.length > 0) {
      const isText = scripts.every(isSafePlace ? namesThings : makesText);
      if (!isText) return `what ${word.raw} stands for is known only when it runs`;
      if (!isOneWord && isRisky) return `${word.raw} may become several words, and one of them an option`;
      continue;
    }
    if (!isSafePlace && !isNoOption(word)) return `${word.raw} may become an option of ${values[0]}`;
  }
  return undefined;
}

/** The word after `-m` is a message, whatever it begins with. */
function takesText(row: Program | undefined, before: string | undefined): boolean {
  const name = /^(?:--([\w-]+)|-[A-Za-z]*([A-Za-z]))$/.exec(before ?? '');
  return name !== null && (row?.texts ?? '').split(' ').includes(name[1] ?? name[2] ?? '');
}

function against(reason: string): Refused {
  return { ok: false, reason };
}
