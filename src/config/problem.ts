/** A problem in a file or flag the user wrote, with its position. All of `config` reports problems this way. */

import { escapeToLine } from '../protocol/escape-controls.js';

export type Problem = {
  /** An error means that the source is not used at all; a warning says what is used instead. */
  readonly severity: 'error' | 'warning';
  /** A path, or the name of another source (`--agents`). */
  readonly file: string;
  /** From 1. */
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
  /** Something of a project was ignored because the folder is not trusted. */
  readonly untrusted?: true;
};

/** One line in which everything shows: names and values may come from a project nobody trusts (GT-20). */
export function formatProblem(problem: Problem): string {
  const position = [problem.file, problem.line, problem.line === undefined ? undefined : problem.column];
  const where = position.filter((part) => part !== undefined).join(':');
  return escapeToLine(`${where}: ${problem.severity}: ${problem.message}`);
}
