/**
 * A process for the tests of worktrees: makes, removes, sweeps or holds some of a repository, and reports the result. With
 * a plan, it kills itself at one of its effects, and the git that runs then, too, or lets it continue.
 */

import type { Files, HeldFolder } from '../../../../../src/host/files.js';
import { findCheckout } from '../../../../../src/host/git/checkout.js';
import type { Host } from '../../../../../src/host/host.js';
import { nodeHost } from '../../../../../src/host/node-host.js';
import type { Processes } from '../../../../../src/host/processes.js';
import { makeWorktree } from '../../../../../src/host/worktrees/make-worktree.js';
import { removeWorktree } from '../../../../../src/host/worktrees/remove-worktree.js';
import { sweepWorktrees } from '../../../../../src/host/worktrees/sweep-worktrees.js';
import { WorktreeLeases } from '../../../../../src/host/worktrees/worktree-leases.js';

/** Before the n-th effect; or while it runs, if it is a git, after some milliseconds. */
export type KillPlan = { readonly at: number; readonly during?: number; readonly withGit?: boolean };

const [, , action = '', repo = '', name = '', planned = '{"at":0}'] = process.argv;
const plan = JSON.parse(planned) as KillPlan;
let effects = 0;
let isArmed = false;
const log: string[] = [];
const WRITES: readonly (keyof Files)[] = [
  ...(['create', 'replace', 'makeFolder', 'rename', 'link', 'remove', 'removeFolder', 'makeLink', 'touch'] as const),
];

const host = killingHost(nodeHost(repo));
const found = await findCheckout(host, repo, { trusted: false });
if (!found.ok) throw new Error(found.reason);
const { checkout } = found;
// What is counted begins here.
effects = 0;
isArmed = true;

if (action === 'make') {
  const made = await makeWorktree(host, checkout, {
    name,
    owner: { session: 'session-1', agent: 'agent-1' },
    includeDirty: true,
    maxOverlayBytes: 1_000_000,
    sparsePaths: [],
    symlinkDirectories: ['build'],
  });
  if (made.ok) await made.use.release();
  say(made.ok ? { ok: true } : made);
}
if (action === 'make-many' || action === 'remove-many') {
  const names = name.split(',');
  const all = await Promise.all(
    names.map(async (one) => {
      if (action === 'remove-many') return removeWorktree(host, checkout, one);
      const made = await makeWorktree(host, checkout, {
        name: one,
        owner: { session: 'session-1', agent: one },
        includeDirty: false,
        maxOverlayBytes: 1_000_000,
        sparsePaths: [],
        symlinkDirectories: [],
      });
      if (made.ok) await made.use.release();
      return made.ok ? { kind: 'made' } : made;
    }),
  );
  say(all);
}
if (action === 'remove' || action === 'discard') {
  say(await removeWorktree(host, checkout, name, { discard: action === 'discard' }));
}
if (action === 'sweep') say(await sweepWorktrees(host, checkout, { days: 30 }));
if (action === 'hold') {
  const reopened = await new WorktreeLeases(host).reopen(checkout, name, 'actor');
  say(reopened.ok ? { ok: true } : reopened);
  setInterval(() => {}, 1000);
}

function say(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

function killingHost(real: Host): Host {
  const files = { ...real.files };
  for (const call of WRITES) {
    const write = real.files[call] as (...args: unknown[]) => Promise<unknown>;
    Object.assign(files, {
      [call]: (...args: unknown[]) => {
        if (isDue(call)) dieNow();
        return write(...args);
      },
    });
  }
  files.holdFolder = async (path) => killingFolder(await real.files.holdFolder(path));
  const processes: Processes = {
    ...real.processes,
    run: (command) =>
      isDue(`git ${command.args.slice(0, 2).join(' ')}`) ? runAndDie(real, command) : real.processes.run(command),
  };
  return { ...real, files, processes, at: (folder) => killingHost(real.at(folder)) };
}

function killingFolder(held: HeldFolder): HeldFolder {
  const before =
    <A extends unknown[], R>(what: string, call: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> => {
      if (isDue(`held ${what}`)) dieNow();
      return call(...args);
    };
  return {
    ...held,
    replace: before('replace', held.replace),
    remove: before('remove', held.remove),
    enter: async (name) => killingFolder(await held.enter(name)),
    makeFolder: before('makeFolder', async (name: string) => killingFolder(await held.makeFolder(name))),
  };
}

function isDue(what: string): boolean {
  effects += 1;
  if (isArmed) log.push(what);
  return isArmed && effects === plan.at;
}

async function runAndDie(real: Host, command: Parameters<Processes['run']>[0]): ReturnType<Processes['run']> {
  if (plan.during === undefined) dieNow();
  const running = real.processes.start(command);
  const until = performance.now() + (plan.during ?? 0);
  while (performance.now() < until);
  if (plan.withGit && running.pid !== undefined) {
    try {
      process.kill(-running.pid, 'SIGKILL');
    } catch {
      // It was faster.
    }
  }
  dieNow();
}

/** Its effects, to choose where it dies. */
if (planned === '{"log":true}') say(log);

/** Nothing runs after this. */
function dieNow(): never {
  for (;;) process.kill(process.pid, 'SIGKILL');
}
