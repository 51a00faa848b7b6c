/** What is wrong with something a person wrote, and where: the one shape in which this room reports it. */

export type Problem = {
  /** An error means that what it names is not used at all; a warning says what was used instead. */
  readonly severity: 'error' | 'warning';
  /** A path, or the name of another source (`--agents`). */
  readonly file: string;
  /** From 1. */
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
};

export function formatProblem(problem: Problem): string {
  const place = [problem.file, problem.line, problem.line === undefined ? undefined : problem.column];
  return `${place.filter((part) => part !== undefined).join(':')}: ${problem.severity}: ${problem.message}`;
}
