/**
 * Checks a file command or an output redirection that an edit mode allows (GT-36): every path is known, in the roots and
 * not protected, and what is deleted or overwritten can be kept first, so that nothing is lost.
 */

import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../../../host/files.js';
import { BACKUP_LIMITS } from '../../../../protocol/permission.js';
import type { Result } from '../../../../protocol/result.js';
import { findProtectedName } from '../../paths/protected-names.js';
import { isWithin, type ResolvedPath } from '../../paths/resolve-path.js';
import type { Resolver } from '../../paths/resolver.js';
import type { Policy } from '../../policy.js';
import type { FileUse } from '../../programs/examine/file-edits.js';
import { findCommand } from '../../programs/find-program.js';
import { objectToRead, objectToWrite } from '../assess-paths.js';
import type { ShellCommand, ShellReading, ShellRedirect } from '../reading/shell-reading.js';
import { spellWords } from './known-values.js';

export type EditInput = {
  readonly reading: ShellReading;
  readonly cwds: readonly string[];
  readonly policy: Policy;
  readonly resolver: Resolver;
};

export type AssessedEdit = Result<{ readonly git?: true }>;

/** What a whole line changes: its commands add to it, in order. */
export class LineChanges {
  readonly paths = new Set<string>();
  /** Links that the line makes: a path through one leads where nobody has looked. */
  readonly links: string[] = [];
  files = 0;
  bytes = 0;
}

const { commandFiles: MOST_FILES, commandBytes: MOST_BYTES } = BACKUP_LIMITS;

/** Undefined if it is no file command. */
export function assessEdit(command: ShellCommand, input: EditInput, changes: LineChanges): AssessedEdit | undefined {
  const { policy } = input;
  const examine = findCommand(command.words.map(({ value }) => value))?.row.edits;
  if (examine === undefined) return undefined;
  if (policy.noFileCommands !== undefined) return refuse(policy.noFileCommands);
  const spellings = spellWords(command.words, input);
  if (spellings === undefined) return refuse('what a word of it stands for is known only when it runs');
  let git: true | undefined;
  for (const words of spellings) {
    const { problems, uses, ...more } = examine(words);
    const [problem] = problems;
    if (problem !== undefined) return refuse(problem.reason);
    for (const use of uses) {
      const reason = checkUse(use, input, changes);
      if (reason !== undefined) return refuse(reason);
    }
    if (words[0] === 'ln') for (const { path, does } of uses) if (does !== 'read') changes.links.push(path);
    git ??= more.git;
  }
  return git === true ? { ok: true, git } : { ok: true };
}

/** The reason why an output redirection needs a question. */
export function assessOutput(redirect: ShellRedirect, input: EditInput, changes: LineChanges): string | undefined {
  if (redirect.kind !== 'write' && redirect.kind !== 'append') return undefined;
  const { target } = redirect;
  if (/^\/dev\/(?:null|stdout|stderr)$/.test(target.value ?? '')) return undefined;
  const paths = spellWords([target], input)?.flat();
  if (paths === undefined) return `where ${target.raw} leads is known only when it runs`;
  for (const path of paths) {
    const reason = checkUse({ at: 0, path, does: 'change' }, input, changes);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function refuse(reason: string): AssessedEdit {
  return { ok: false, reason };
}

function checkUse(use: FileUse, input: EditInput, changes: LineChanges): string | undefined {
  for (const cwd of input.cwds) {
    const resolved = input.resolver.resolve(use.path, cwd);
    const reason =
      use.does === 'into' && resolved.kind === 'folder'
        ? (use.names ?? []).map((name) => checkChange(join(use.path, name), cwd, input, changes)).find(Boolean)
        : use.does === 'read'
          ? checkRead(resolved, input)
          : checkChange(use.path, cwd, input, changes);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function checkRead(path: ResolvedPath, input: EditInput): string | undefined {
  return objectToRead(path, input, (reason) => ({ at: 0, use: 'read', reason }))[0]?.reason;
}

function checkChange(given: string, cwd: string, input: EditInput, changes: LineChanges): string | undefined {
  const { policy, resolver } = input;
  const path = resolver.resolve(given, cwd);
  const [objection] = objectToWrite(path, false, input, (reason) => ({ at: 0, use: 'write', reason }));
  if (objection !== undefined) return objection.reason;
  if (policy.roots.some((root) => isWithin(root, path.real))) return `${path.real} is or holds a working folder`;
  const through = changes.links.map((link) => resolver.resolve(link, cwd).lexical);
  if (through.some((link) => isWithin(path.lexical, link))) return `${given} leads through a link that the line makes`;
  // A command may remove or replace the link itself, or write to its target.
  const entry = join(resolver.resolve(dirname(path.lexical), '/').real, basename(path.lexical));
  for (const one of new Set([entry, path.real])) {
    if (changes.paths.has(one)) continue;
    changes.paths.add(firstMissing(one, policy) ?? one);
    const reason = measure(one, input, changes);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** What is created first: the outermost folder that is missing. */
function firstMissing(path: string, { files, roots }: Policy): string | undefined {
  let missing: string | undefined;
  for (let here = path; files.lstat(here) === undefined && !roots.includes(here); here = dirname(here)) missing = here;
  return missing;
}

/** Walks through what is deleted or overwritten; the reason why it can't be kept. */
function measure(path: string, input: EditInput, changes: LineChanges): string | undefined {
  const { policy, resolver } = input;
  const guards = policy.rules.flatMap(({ behavior, tool, matches }) =>
    behavior !== 'allow' && (tool === 'Read' || tool === 'Edit') && matches.kind === 'path' ? [matches.pattern] : [],
  );
  const pending = [path];
  for (let here = pending.pop(); here !== undefined; here = pending.pop()) {
    const stat = lookAt(here, policy);
    if (stat === undefined) continue;
    if (stat === 'unknown') return `${here} could not be looked at`;
    changes.files += 1;
    changes.bytes += stat.kind === 'file' ? stat.size : 0;
    if (changes.files > MOST_FILES)
      return `it changes more than ${MOST_FILES} files, which can't all be kept for /rewind`;
    if (changes.bytes > Math.min(MOST_BYTES, policy.keepLeft ?? MOST_BYTES))
      return 'it changes more than can be kept for /rewind';
    if (here !== path && findProtectedName([basename(here)]) !== undefined)
      return `${here} controls what runs or is allowed later, so every change to it needs a permission`;
    const isFolder = stat.kind === 'folder';
    if (guards.some((pattern) => resolver.matches(pattern, resolver.resolve(here ?? path, '/'), true, isFolder)))
      return `a rule is about ${here}`;
    if (!isFolder) continue;
    for (const { name } of policy.files.list(here, MOST_FILES + 1)) pending.push(join(here, name));
  }
  return undefined;
}

function lookAt(path: string, { files }: Policy) {
  try {
    return files.lstat(path);
  } catch (error) {
    return errorCode(error) === 'ENOTDIR' ? undefined : 'unknown';
  }
}
