/** Which process is this, beyond its number: numbers are used again, and start again with the machine. */

import type { Host } from './host.js';

export type ProcessIdentity = {
  readonly pid: number;
  /** When it started, by whose word: only ever compared with the same one's. Undefined when it can't be learnt. */
  readonly started: string | undefined;
  /** Which start of the machine it belongs to. */
  readonly boot: string | undefined;
  /** Which numbering of processes its number is from: containers have their own. */
  readonly space: string | undefined;
};

export async function identifyOwnProcess(host: Host): Promise<ProcessIdentity> {
  const [started, boot, space] = await Promise.all([startOf(host, process.pid), bootId(host), processSpace(host)]);
  return { pid: process.pid, started: started === 'gone' ? undefined : started, boot, space };
}

export type Liveness = 'alive' | 'dead' | 'unknown';

/** Whether the process still runs. Dead is said only of what is certain. */
export async function checkAlive(host: Host, known: ProcessIdentity, own: ProcessIdentity): Promise<Liveness> {
  if (known.boot !== undefined && own.boot !== undefined && known.boot !== own.boot) return 'dead';
  // Another container's process can't be seen from here, and its number may be somebody else's.
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

/** A process that has ended but was not collected yet counts as gone. */
async function startOf(host: Host, pid: number): Promise<string | 'gone' | undefined> {
  const stat = await readOrNothing(host, `/proc/${pid}/stat`);
  if (stat !== undefined) {
    // The name in brackets may hold anything, so the fields are counted from its end: state is the first, start the 20th.
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
  const command = { file, args, cwd: '/', env: { ...host.env, LC_ALL: 'C', TZ: 'UTC' }, timeoutMs: 2_000 };
  const { code, stdout } = await host.processes.run(command);
  return code === 0 ? stdout.toString('utf8').trim() : '';
}
