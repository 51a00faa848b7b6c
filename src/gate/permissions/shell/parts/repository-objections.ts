/** Objections to git in the repositories that a line works in: programs of their own, and changes by the line itself. */

import { basename, join, resolve } from 'node:path';
import type { Programs } from '../../paths/repository.js';
import { isWithin } from '../../paths/resolve-path.js';
import type { Resolver } from '../../paths/resolver.js';
import type { Policy } from '../../policy.js';
import { examineProgram } from '../examine-program.js';
import type { Finding } from '../finding.js';
import type { ShellReading } from '../reading/shell-reading.js';

export type RepositoryInput = {
  readonly reading: ShellReading;
  readonly cwds: readonly string[];
  readonly policy: Policy;
  readonly resolver: Resolver;
};

/** The repository's own programs, and tools that the project may configure, need trust. */
export function objectToRepo(
  finding: Finding,
  words: readonly string[],
  input: RepositoryInput,
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

/** For a git that runs with the programs of an untrusted repository off: the objection that remains. */
export function objectToQuietRepo(
  finding: Finding,
  words: readonly string[],
  input: RepositoryInput,
): string | undefined {
  return objectToRepo(finding, words, input, 'on') === undefined
    ? undefined
    : objectToRepo(finding, words, input, 'off');
}

/** Under a rule, git does what the project means by it: without a program of the repository it may not. */
export function findNeeded(finding: Finding, words: readonly string[], input: RepositoryInput): string | undefined {
  if (finding.repo !== true) return undefined;
  const subcommand = words.find((word, at) => at > 0 && !word.startsWith('-') && words[at - 1] !== '-C') ?? '';
  for (const folder of gitFolders(finding.folder === undefined ? [] : [finding.folder.path], input)) {
    const needed = input.resolver.neededProgram(folder, subcommand);
    if (needed !== undefined) return `it needs a program of the repository (${needed}), which is not trusted`;
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
export function findGitFolders(input: RepositoryInput): readonly string[] {
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
  { cwds, policy }: Pick<RepositoryInput, 'cwds' | 'policy'>,
): readonly string[] {
  if (sent.length === 0) return cwds;
  return cwds.flatMap((cwd) =>
    sent.flatMap((path) => [resolve(cwd, path), ...(path.startsWith('~/') ? [join(policy.home, path.slice(2))] : [])]),
  );
}

/** Files that the line itself writes can't be checked in advance: it must not create or change the repository that git uses. */
export function findChangedRepo(input: RepositoryInput): string | undefined {
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
  // Git's own words name revisions too.
  const others = findings.filter((finding) => finding.repo !== true);
  const named = others.flatMap(({ paths }) =>
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
function isCreated(path: string, findings: readonly Finding[], { cwds, resolver }: RepositoryInput): boolean {
  return findings.some(
    ({ edits, problems, paths }) =>
      edits === true &&
      problems.length === 0 &&
      paths.some((use) => cwds.some((cwd) => resolver.resolve(use.path, cwd).real === path)),
  );
}
