/** Finds visible writes to protected names: they always need a question, even if a rule allows everything. */

import type { Resolver } from '../../paths/resolver.js';
import type { Policy } from '../../policy.js';
import { findCommand } from '../../programs/find-program.js';
import { assessPaths } from '../assess-paths.js';
import { examineProgram } from '../examine-program.js';
import type { ShellCommand, ShellReading } from '../reading/shell-reading.js';

type Input = {
  readonly reading: ShellReading;
  readonly cwds: readonly string[];
  readonly policy: Policy;
  readonly resolver: Resolver;
};

/** Every part of the line that does it. */
export function findProtectedWrites(input: Input): readonly ProtectedWrite[] {
  return input.reading.commands.flatMap((command) => {
    const reason = findReason(command, input);
    return reason === undefined ? [] : [{ part: command.text, reason }];
  });
}

export type ProtectedWrite = { readonly part: string; readonly reason: string };

function findReason(command: ShellCommand, input: Input): string | undefined {
  // Where mounts protect the names, a word that only may be such a path needs none.
  const isVisible = (use: string) => use === 'write' || (use === 'unknown' && input.policy.box === undefined);
  const words = command.words.map((word) => word.value ?? '');
  const finding = words.length === 0 ? { reads: true, problems: [], paths: [] } : examineProgram(words, false);
  const edited = findCommand(command.words.map(({ value }) => value))?.row.edits?.(words).uses ?? [];
  const [name] = edited.flatMap(({ path, does }) =>
    does === 'read' ? [] : input.cwds.flatMap((cwd) => input.resolver.resolve(path, cwd).protectedName ?? []),
  );
  if (name !== undefined)
    return `${name} controls what runs or is allowed later, so every change to it needs a permission`;
  const objections = assessPaths(command, finding, input);
  return objections.find((objection) => objection.always === true && isVisible(objection.use))?.reason;
}
