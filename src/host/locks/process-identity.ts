/** Identifies the process that holds a lock, even if its pid is reused, and checks whether it still runs. */

import type { Host } from '../host.js';
import { findOwnProgram } from '../programs/own-program.js';
import { processEnvironment } from '../programs/process-environment.js';

export type ProcessIdentity = {
  readonly pid: number;
  /** The start time of the process, prefixed with its source: only values of the same source are compared. */
  readonly started: string | undefined;
  /** The boot of the machine during which it runs. */
  readonly boot: string | undefined;
  /** The PID namespace of its pid: containers have their own. */
  readonly space: string | undefined;
};

export async function identifyOwnProcess(host: Host): Promise<ProcessIdentity> {
  return identifyProcess(host, process.pid);
}

/** Identifies this process or one it has started. */
export async function identifyProcess(host: Host, pid: number): Promise<ProcessIdentity> {
  const [started, boot, space] = await Promise.all([startOf(host, pid), bootId(host), processSpace(host)]);
  return { pid, started: started === 'gone' ? undefined : started, boot, space };
}

type Liveness = 'alive' | 'dead' | 'unknown';

/** Returns `dead` only if that is certain. */
export async function checkAlive(host: Host, known: ProcessIdentity, own: ProcessIdentity): Promise<Liveness> {
  if (known.boot !== undefined && own.boot !== undefined && known.boot !== own.boot) return 'dead';
  // A process of another container is not visible here, and its pid may belong to another process.
  if (known.space !== own.space) return 'unknown';
  if (!exists(known.pid)) return 'dead';
  const started = await startOf(host, known.pid);
  if (started === 'gone') return 'dead';
  if (started === undefined || known.started === undefined) return 'unknown';
  if (started === known.started) return 'alive';
  return sourceOf(started) === sourceOf(known.started) ? 'dead' : 'unknown';
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function sourceOf(started: string): string {
  return started.slice(0, started.indexOf(':'));
}

/** A zombie (ended, but not yet reaped) is reported as gone. */
async function startOf(host: Host, pid: number): Promise<string | 'gone' | undefined> {
  const stat = await readOrNothing(host, `/proc/${pid}/stat`);
  if (stat !== undefined) {
    // The name in parentheses may contain anything, so count fields after it: state is the first, start the 20th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? 'gone' : `proc:${fields[19]}`;
  }
  const answer = await ask(host, 'ps', ['-o', 'lstart=', '-p', String(pid)]);
  return answer === '' ? undefined : `ps:${answer}`;
}

async function bootId(host: Host): Promise<string | undefined> {
  const linux = await readOrNothing(host, '/proc/sys/kernel/random/boot_id');
  if (linux !== undefined) return linux.trim();
  return (await ask(host, 'sysctl', ['-n', 'kern.bootsessionuuid'])) || undefined;
}

async function processSpace(host: Host): Promise<string | undefined> {
  return host.files.readLink('/proc/self/ns/pid').catch(() => undefined);
}

async function readOrNothing(host: Host, path: string): Promise<string | undefined> {
  try {
    return (await host.files.read(path)).toString('utf8');
  } catch {
    return undefined;
  }
}

async function ask(host: Host, file: string, args: readonly string[]): Promise<string> {
  const program = findOwnProgram(host, file);
  if (program === undefined) return '';
  const env = { ...processEnvironment(host, 'own'), LC_ALL: 'C', TZ: 'UTC' };
  const command = { file: program, args, cwd: '/', env, timeoutMs: 2_000 };
  const { code, stdout } = await host.processes.run(command);
  return code === 0 ? stdout.toString('utf8').trim() : '';
}
