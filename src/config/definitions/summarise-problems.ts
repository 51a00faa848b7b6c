/** What is wrong with agent files, in one line for the start of a session. `coppice agents` tells all of it. */

import { formatProblem, type Problem } from '../problem.js';

/** Undefined if nothing is. */
export function summariseProblems(problems: readonly Problem[]): string | undefined {
  const [first] = problems;
  if (first === undefined) return undefined;
  if (problems.length === 1) return formatProblem(first);
  const ignored = problems.filter(({ untrusted }) => untrusted);
  const parts = [
    ...counted(ignored, 'limited because the folder is not trusted'),
    ...counted(
      problems.filter(({ severity }) => severity === 'error'),
      'skipped',
    ),
    ...counted(
      problems.filter(({ severity, untrusted }) => severity === 'warning' && !untrusted),
      'with warnings',
    ),
  ];
  return `agent files: ${parts.join(', ')}. Which, and why: coppice agents`;
}

function counted(problems: readonly Problem[], what: string): readonly string[] {
  const files = new Set(problems.map(({ file }) => file)).size;
  return files === 0 ? [] : [`${files} ${what}`];
}
