/** A problem in a file or flag the user wrote, with its position. All of `config` reports problems this way. */

import { escapeToLine } from '../protocol/escape-controls.js';

export type Problem = {
  /** An error means that the source is not used at all; a warning gives what is used instead. */
  readonly severity: 'error' | 'warning';
  /** A path, or the name of another source (`--agents`). */
  readonly file: string;
  /** From 1. */
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
  /** Part of a project was ignored because the folder is not trusted. */
  readonly untrusted?: true;
};

/** One line with control characters escaped, because names and values may come from an untrusted project (GT-20). */
export function formatProblem(problem: Problem): string {
  const position = [problem.file, problem.line, problem.line === undefined ? undefined : problem.column];
  const where = position.filter((part) => part !== undefined).join(':');
  return escapeToLine(`${where}: ${problem.severity}: ${problem.message}`);
}
