/** Summarises problems in agent or skill files in one line for the start of a session. A subcommand lists all of them. */

import { formatProblem, type Problem } from '../problem.js';

const AGENTS = { what: 'agent files', where: 'coppice agents' };

/** Undefined if there are none. */
export function summariseProblems(problems: readonly Problem[], { what, where } = AGENTS): string | undefined {
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
  return `${what}: ${parts.join(', ')}. Details: ${where}`;
}

function counted(problems: readonly Problem[], what: string): readonly string[] {
  const files = new Set(problems.map(({ file }) => file)).size;
  return files === 0 ? [] : [`${files} ${what}`];
}
