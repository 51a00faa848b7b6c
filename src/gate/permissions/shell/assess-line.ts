/** Checks that every part of a plain command line is proven to read or covered by an allow rule; otherwise gives the reason. */

import { basename, join, resolve } from 'node:path';
import type { Programs } from '../paths/repository.js';
import { isWithin } from '../paths/resolve-path.js';
import type { Resolver } from '../paths/resolver.js';
import type { Policy } from '../policy.js';
import { namedWords } from '../rules/command-pattern.js';
import type { Rule } from '../rules/rule.js';
import { assessPaths, type PathObjection } from './assess-paths.js';
import { examineProgram, isHarmlessVariable } from './examine-program.js';
import type { Finding } from './finding.js';
import type { ShellCommand, ShellReading } from './shell-reading.js';

export type LineAssessment =
  | {
      readonly fine: true;
      /** Every part is proven to only read: neither a rule nor a mode was needed. */
      readonly byReading: boolean;
      /** A part of it needed a rule. */
      readonly byRule: boolean;
      readonly by: string;
      /** Fine only with the repository's programs off, and only if no rule was needed; otherwise the reason against it. */
      readonly programs?: string;
    }
  | {
      readonly fine: false;
      readonly reason: string;
      /** It does, or may do, more than read. */
      readonly changes: boolean;
    };

export type LineInput = {
  readonly reading: ShellReading;
  readonly cwds: readonly string[];
  readonly policy: Policy;
  readonly resolver: Resolver;
  /** Allow rules about commands; empty where only proof applies. */
  readonly rules: readonly Rule[];
};

const DEEPEST_WRAPPING = 8;

export function assessLine(input: LineInput): LineAssessment {
  const doubt = input.reading.doubts[0];
  if (doubt !== undefined) return { fine: false, reason: `the command is not plain: ${doubt}`, changes: true };
  if (input.reading.commands.length === 0) return { fine: false, reason: 'there is no command in it', changes: true };
  let byReading = true;
  let byRule = false;
  const by = new Set<string>();
  let programs: string | undefined;
  let objection: string | undefined;
  for (const command of input.reading.commands) {
    const part = assessCommand(command, input);
    // The first reason is reported, but a later part may be the one that changes something.
    if (!part.fine && part.changes) return against(objection ?? part.reason, true);
    if (!part.fine) {
      objection ??= part.reason;
      continue;
    }
    programs ??= part.programs;
    byReading &&= part.byReading;
    byRule ||= part.byRule;
    by.add(part.by);
  }
  if (objection !== undefined) return against(objection, !byReading);
  if (byRule && programs !== undefined) return against(programs, true);
  const changed = byReading ? undefined : objectToChangedRepo(input);
  if (changed !== undefined) return against(changed, true);
  return { fine: true, byReading, byRule, by: [...by].join(', ') };
}

/** Files that the line itself writes can't be checked in advance: it must not create or change the repository that git uses. */
function objectToChangedRepo(input: LineInput): string | undefined {
  const { reading, cwds, resolver } = input;
  const findings = reading.commands
    .filter(({ words }) => words.length > 0)
    .map(({ words }) =>
      examineProgram(
        words.map((word) => word.value ?? ''),
        false,
      ),
    );
  const repos = findings.filter((finding) => finding.repo === true);
  if (repos.length === 0) return undefined;
  const sent = repos.flatMap(({ folder }) => (folder === undefined ? [] : [folder.path]));
  const folders = [...new Set([...cwds, ...(sent.length === 0 ? [] : gitFolders(sent, input))])];
  const targets = reading.commands.flatMap(({ redirects }) =>
    redirects.flatMap((one) => (one.kind === 'write' || one.kind === 'append' ? [one.target.value ?? ''] : [])),
  );
  const named = findings.flatMap(({ paths }) =>
    paths.flatMap(({ use, path }) => (use === 'write' || use === 'unknown' ? [path] : [])),
  );
  const written = [...targets, ...named].flatMap((path) => cwds.map((cwd) => resolver.resolve(path, cwd).real));
  const own = folders.flatMap((folder) => resolver.editableGitFolders(folder));
  const isRisky = (path: string) =>
    basename(path).toLowerCase() === 'head' ||
    own.some((folder) => isWithin(path, folder)) ||
    folders.some((folder) => folder !== cwds[0] && isWithin(folder, path) && !isCreated(path, findings, input));
  return written.some(isRisky) ? 'it may change the repository that git works in, before git runs' : undefined;
}

/** True if all it does there is create a folder. */
function isCreated(path: string, findings: readonly Finding[], { cwds, resolver }: LineInput): boolean {
  return findings.some(
    ({ edits, problems, paths }) =>
      edits === true &&
      problems.length === 0 &&
      paths.some((use) => cwds.some((cwd) => resolver.resolve(use.path, cwd).real === path)),
  );
}

function assessCommand(command: ShellCommand, input: LineInput, depth = 0): LineAssessment {
  const words = command.words.map((word) => word.value ?? '');
  const variable = command.assignments.find(({ name, value }) => !isHarmlessVariable(name, value));
  if (variable !== undefined) return against(`it sets ${variable.name} for ${words[0] ?? 'the shell'}`, true);
  const finding: Finding =
    words.length === 0 ? { reads: true, problems: [], paths: [] } : examineProgram(words, isInOwnWorktree(input));
  if (finding.inner !== undefined && depth < DEEPEST_WRAPPING) {
    const inner = assessCommand(
      { ...command, words: command.words.slice(finding.inner), assignments: [] },
      input,
      depth + 1,
    );
    if (inner.fine) return inner;
  }
  const objections = assessPaths(command, finding, input);
  const edits = editsOnly(finding, objections, input.policy);
  const programs = objectToRepo(finding, words, input, 'on');
  const repo = edits ? objectToRepo(finding, words, input, 'off') : programs;
  if (repo !== undefined) return against(repo, true);
  const proven = finding.reads && finding.problems.length === 0 && finding.confinedOnly !== true;
  const lastResort = objections.find((objection) => objection.always);
  if (lastResort !== undefined) return against(lastResort.reason, true);
  const onlyReads = proven && !writes(command, finding);
  if (proven && objections.length === 0)
    return fine(onlyReads, onlyReads ? 'read-only check' : 'read-only check, edits allowed');
  if (edits) {
    const by = finding.repo === true ? 'a change in its own worktree' : `mode ${input.policy.mode}`;
    return { fine: true, byReading: false, byRule: false, by, ...(programs === undefined ? {} : { programs }) };
  }
  const rule = coveringRule(words, finding, objections, input);
  if (rule !== undefined) return { fine: true, byReading: false, byRule: true, by: rule };
  const reason =
    finding.problems[0]?.reason ??
    objections[0]?.reason ??
    (finding.confinedOnly === true ? `the project may make ${words[0]} run something` : undefined) ??
    `no rule allows ${words[0]}, and it is not known to only read`;
  return against(reason, !onlyReads);
}

function writes(command: ShellCommand, finding: Finding): boolean {
  if (finding.paths.some((use) => use.use === 'write')) return true;
  return command.redirects.some(
    (redirect) =>
      (redirect.kind === 'write' || redirect.kind === 'append') &&
      !/^\/dev\/(?:null|stdout|stderr)$/.test(redirect.target.value ?? ''),
  );
}

function fine(byReading: boolean, by: string): LineAssessment {
  return { fine: true, byReading, byRule: false, by };
}

function against(reason: string, changes: boolean): LineAssessment {
  return { fine: false, reason, changes };
}

/** The repository's own programs, and tools that the project may configure, need trust. */
export function objectToRepo(
  finding: Finding,
  words: readonly string[],
  input: LineInput,
  programs: Programs = 'on',
): string | undefined {
  if (finding.project === true && !input.policy.trusted)
    return `${words[0]} may run programs that the project configures, and the folder is not trusted`;
  if (finding.repo !== true) return undefined;
  for (const folder of gitFolders(finding.folder === undefined ? [] : [finding.folder.path], input)) {
    const reason = objectToRepoIn(folder, input.resolver, programs);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

export function objectToRepoIn(folder: string, resolver: Resolver, programs: Programs = 'on'): string | undefined {
  const program = resolver.untrustedProgram(folder, programs);
  if (program !== undefined) return `the repository may run a program of its own (${program}), and it is not trusted`;
  const borrowed = resolver.borrowedRepository(folder);
  return borrowed && `git would show ${borrowed}, which is outside and belongs to another work tree`;
}

/** The folders in which the git commands of a judged line work: each repository there is trusted, or can run nothing. */
export function findGitFolders(input: LineInput): readonly string[] {
  const folders = input.reading.commands.flatMap(({ words }) => {
    if (words.length === 0) return [];
    const { repo, folder } = examineProgram(
      words.map((word) => word.value ?? ''),
      false,
    );
    return repo === true ? gitFolders(folder === undefined ? [] : [folder.path], input) : [];
  });
  return [...new Set(folders)];
}

/** The folders in which git works: the shell's, or those given with `-C`. */
export function gitFolders(
  sent: readonly string[],
  { cwds, policy }: Pick<LineInput, 'cwds' | 'policy'>,
): readonly string[] {
  if (sent.length === 0) return cwds;
  return cwds.flatMap((cwd) =>
    sent.flatMap((path) => [resolve(cwd, path), ...(path.startsWith('~/') ? [join(policy.home, path.slice(2))] : [])]),
  );
}

function editsOnly(finding: Finding, objections: readonly PathObjection[], policy: Policy): boolean {
  if (finding.edits !== true || finding.problems.length > 0 || objections.length > 0) return false;
  if (policy.mode === 'acceptEdits') return true;
  // Of all edits, only git's own commands in one of our worktrees change a repository (GT-22).
  const isFork = policy.mode === 'bubble' || (policy.mode === 'default' && policy.worktree?.bubbles === true);
  return isFork && finding.repo === true;
}

/** True if the whole line works in the agent's worktree, on its own branch, and in no repository nested there. */
function isInOwnWorktree({ policy: { worktree }, cwds, resolver }: LineInput): boolean {
  return worktree?.isOnBranch === true && cwds.every((cwd) => resolver.repositoryOf(cwd) === worktree.path);
}

/** A rule covers what its own words name: a dangerous option or an outside path only if the rule spells it out. */
function coveringRule(
  words: readonly string[],
  finding: Finding,
  objections: readonly PathObjection[],
  input: LineInput,
): string | undefined {
  for (const rule of input.rules) {
    if (rule.matches.kind !== 'command' || words.length === 0) continue;
    const named = namedWords(rule.matches.pattern, words);
    if (named === undefined) continue;
    if (finding.problems.some((problem) => problem.at >= named)) continue;
    if (objections.some((objection) => !objection.byNature && objection.at >= named)) continue;
    return `allow rule ${rule.text} (${rule.origin.source})`;
  }
  return undefined;
}
