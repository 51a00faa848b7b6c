/** Examines a git command for the read-only sandbox: a sub-command that reads, in a repository whose programs stay off. */

import type { Policy } from '../../policy.js';
import { foldersOf } from '../assess-paths.js';
import { examineGitRead, namesContent } from '../examine-git.js';
import type { LineInput } from '../parts/line-assessment.js';
import { objectToQuietRepo } from '../parts/repository-objections.js';
import type { ShellWord } from '../reading/shell-reading.js';

/** A placeholder for a word known only at run time: a revision, a path, an option. */
const COMPUTED = 'HEAD';

/** The reason why it does not fit; undefined if it does. */
export function examineBoxGit(words: readonly ShellWord[], input: LineInput, isWholeGit: boolean): string | undefined {
  const { policy, reading, cwds } = input;
  const known = words.map(({ value }) => value ?? COMPUTED);
  const finding = examineGitRead(known);
  // The words before the first operand decide what git does, so they must be literal.
  const firstComputed = words.findIndex(({ value }) => value === undefined);
  const subcommand = words.findIndex(({ value }, at) => at > 0 && value !== undefined && !value.startsWith('-'));
  if (firstComputed >= 0 && (subcommand < 0 || firstComputed < subcommand)) return 'what git does is computed';
  const problem = finding.problems.find(({ option }) => option !== true);
  if (!finding.reads || problem !== undefined)
    return problem?.reason ?? `git ${known[subcommand] ?? ''} may change something`;
  if (foldersOf(reading.commands, cwds[0] ?? '/', policy.home) === undefined) return 'it is unclear where its cd leads';
  if (finding.printsHistory === true && policy.box?.deniedInGit === true)
    return 'git may print files from the history that a rule denies';
  if (hidesFiles(policy) && namesContent(known, finding))
    return 'git may print a file that a rule denies, by the name of its content';
  if (policy.box?.gitIsWhole === false && !isWholeGit) return 'git needs files that are not shown where it is confined';
  // It runs with the programs of the repository off.
  return objectToQuietRepo(finding, known, input);
}

function hidesFiles({ rules }: Policy): boolean {
  return rules.some(
    ({ behavior, tool, matches }) => behavior !== 'allow' && tool === 'Read' && matches.kind === 'path',
  );
}
