/** The call of bubblewrap that starts a command. */

import { basename, isAbsolute } from 'node:path';
import type { Host } from '../../../host/host.js';
import type { ProcessCommand } from '../../../host/processes.js';
import { bubblewrapArguments, type Layout } from '../mounts/bubblewrap-arguments.js';
import type { Surroundings } from './surroundings.js';

const FIRST_DESCRIPTOR = 3;

/** `filter`: the file with the seccomp program. */
export function wrap(
  { bubblewrap, nothing, inherited }: Surroundings,
  command: ProcessCommand,
  layout: Omit<Layout, 'nothing'>,
  filter?: string,
): ProcessCommand {
  const descriptors = command.descriptors ?? [];
  const next = FIRST_DESCRIPTOR + descriptors.length;
  const whole = { ...layout, nothing, ...(filter === undefined ? {} : { filter: next }) };
  const started = closeInherited(command, inherited, filter === undefined ? next - 1 : next);
  return {
    ...command,
    file: bubblewrap.file,
    args: bubblewrapArguments(bubblewrap, whole, started),
    cwd: '/',
    descriptors: filter === undefined ? descriptors : [...descriptors, { kind: 'file', path: filter }],
  };
}

/** Descriptors up to `ours` are what the command was given; bubblewrap closes the filter. */
function closeInherited({ file, args }: ProcessCommand, inherited: readonly number[], ours: number): readonly string[] {
  const closed = inherited.filter((descriptor) => descriptor > ours);
  if (closed.length === 0) return [file, ...args];
  const closing = `exec ${closed.map((descriptor) => `${descriptor}>&-`).join(' ')}`;
  const [option, script, ...rest] = args;
  if (basename(file) === 'bash' && option === '-c') return [file, option, `${closing}; ${script}`, ...rest];
  return ['/bin/bash', '-c', `${closing}; exec "$@"`, 'bash', file, ...args];
}

/** A shell keeps the name by which its folder was reached: `pwd` must print the same inside. */
export function nameOfFolder(host: Host, { cwd, env }: ProcessCommand): string {
  const called = env.PWD;
  if (called === undefined || !isAbsolute(called) || called === cwd) return cwd;
  try {
    const real = host.files.sync.realpath(called);
    return real !== undefined && real === host.files.sync.realpath(cwd) ? called : cwd;
  } catch {
    return cwd;
  }
}
