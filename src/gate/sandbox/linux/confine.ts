/** Turns a command and a profile into the call of bubblewrap that runs it. */

import { dirname } from 'node:path';
import type { Host } from '../../../host/host.js';
import type { ProcessCommand } from '../../../host/processes.js';
import { boxEnvironment } from '../box-environment.js';
import { describeHidden } from '../describe-hidden.js';
import { checkGrant } from '../guards/grant.js';
import { wayTo } from '../guards/home-guards.js';
import { openRun, openRuns, type Runs } from '../guards/open-run.js';
import type { Layout } from '../mounts/bubblewrap-arguments.js';
import { hideSockets, hideStarters, isUsual } from '../mounts/hide-sockets.js';
import type { Mount } from '../mounts/mounts.js';
import { hideDenied, narrowMounts } from '../mounts/narrow-mounts.js';
import { openMachine, showMachine } from '../mounts/wide-mounts.js';
import type { OpenedSandbox } from '../opened-sandbox.js';
import { describeGuarded, describeRefusal, recogniseRefusal } from '../recognise-refusal.js';
import type { Confined, Place, Profile } from '../sandbox.js';
import { sandboxEnvironment } from '../sandbox-environment.js';
import type { Surroundings } from './surroundings.js';
import { nameOfFolder, wrap } from './wrap-command.js';

/** What is kept on disk is opened with the first command that may write. */
export function createConfine(
  host: Host,
  around: Surroundings,
  readable: readonly string[],
): Pick<OpenedSandbox, 'confine' | 'close'> {
  let opening: Promise<Runs> | undefined;
  const runs = () => {
    opening ??= openRuns(host, around);
    return opening;
  };
  return {
    confine: async (command, profile, place) => {
      switch (profile.kind) {
        case 'reading':
          return confineReading(host, around, command, place, profile);
        case 'working':
          return confineWorking(host, around, await runs(), command, place, profile);
        case 'sandboxed':
          return confineSandboxed(host, around, { ...(await runs()), readable }, command, place, profile.grant);
        case 'ruled':
          return confineRuled(host, around, { ...(await runs()), readable }, command, place, profile);
        default:
          return profile satisfies never;
      }
    },
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}

type WideRuns = Runs & { readonly readable: readonly string[] };

type Limits = Pick<Layout, 'sharesNetwork' | 'nests' | 'devices'>;
const NARROW: Limits = { sharesNetwork: false, nests: false, devices: 'few' };

/** Exported for the probe, which tries it before anything else is opened. */
export function confineReading(
  host: Host,
  around: Surroundings,
  command: ProcessCommand,
  { view }: Place,
  { show, wholeGit = false }: Omit<Extract<Profile, { kind: 'reading' }>, 'kind'>,
): Confined {
  if (view === undefined) return { ok: false, reason: 'its folders were not looked at' };
  const cwd = nameOfFolder(host, command);
  const narrow = narrowMounts(host, around, { view, show, cwd, writes: false, wholeGit });
  if (!narrow.ok) return narrow;
  const layout = { ...NARROW, mounts: narrow.mounts, cwd };
  const env = boxEnvironment(host, command.env, { ...narrow, roots: view.roots, trusted: around.trusted });
  return {
    ok: true,
    isConfined: true,
    command: wrap(around, { ...command, env }, layout, around.filters.reading),
    explain: (output, exit) => describeHidden(view, output, exit),
    finish: async () => [],
  };
}

async function confineWorking(
  host: Host,
  around: Surroundings,
  runs: Runs,
  command: ProcessCommand,
  { view, worktree }: Place,
  { show, git }: Extract<Profile, { kind: 'working' }>,
): Promise<Confined> {
  if (view?.unchanged === undefined)
    return { ok: false, reason: 'what must stay unchanged in its folders is not known' };
  const cwd = nameOfFolder(host, command);
  const narrow = narrowMounts(host, around, { view, show, cwd, writes: true });
  if (!narrow.ok) return narrow;
  const run = await openRun(host, runs, command, {
    roots: view.roots,
    worktree: git ? worktree : undefined,
    git: git ? 'index' : 'nothing',
  });
  const layout = {
    ...NARROW,
    cwd,
    mounts: [
      ...narrow.mounts,
      { kind: 'own', path: `/run/${run.mark}` } as const,
      ...view.unchanged.map((path): Mount => ({ kind: 'read', path })),
      ...pinWays([...view.unchanged, ...view.masks]),
      ...run.mounts,
    ],
  };
  const env = boxEnvironment(host, command.env, { ...narrow, roots: view.roots, trusted: around.trusted });
  return {
    ok: true,
    isConfined: true,
    command: wrap(around, { ...command, env }, layout, around.filters.working),
    explain: (output, exit) =>
      describeGuarded([...run.guarded, ...(view.unchanged ?? [])], output, run.cwd) ??
      describeHidden(view, output, exit),
    finish: run.finish,
  };
}

async function confineSandboxed(
  host: Host,
  around: Surroundings,
  runs: WideRuns,
  command: ProcessCommand,
  { roots, worktree, view }: Place,
  wish: Extract<Profile, { kind: 'sandboxed' }>['grant'],
): Promise<Confined> {
  const grant = await checkGrant(host, wish, { roots, hidden: [around.ownHome] });
  if (!grant.ok) return grant;
  const run = await openRun(host, runs, command, { roots, worktree, git: 'most', grant });
  const shown = { roots: run.roots, readable: runs.readable, view, mark: run.mark };
  const mounts = [
    ...showMachine(host, around, shown, { open: [...run.roots, ...grant.writable], temporary: runs.temporary }),
    ...run.mounts,
    ...(view === undefined ? [] : [...hideDenied(host, view), ...pinWays(view.masks)]),
    ...(grant.network ? await nameServers(host) : []),
  ];
  const layout: Omit<Layout, 'nothing'> = {
    ...{ sharesNetwork: grant.network, nests: false, devices: 'usual' },
    mounts: [...mounts, ...(await hideSockets(host, mounts))],
    cwd: run.cwd,
  };
  const started = asFirst({ ...command, env: sandboxEnvironment(command.env) });
  return {
    ok: true,
    isConfined: true,
    command: wrap(around, started, layout),
    explain: (output) => {
      const refused = recogniseRefusal(output, { network: grant.network });
      return refused === undefined ? undefined : describeRefusal(refused);
    },
    finish: run.finish,
  };
}

async function confineRuled(
  host: Host,
  around: Surroundings,
  runs: WideRuns,
  command: ProcessCommand,
  { roots, worktree, view }: Place,
  { containers }: Extract<Profile, { kind: 'ruled' }>,
): Promise<Confined> {
  const run = await openRun(host, runs, command, { roots, worktree, git: 'most', wide: true });
  const { user } = around.owner;
  const mounts = [
    ...openMachine(host, around, { roots: run.roots, readable: runs.readable, view, mark: run.mark }),
    ...run.mounts,
    ...(view === undefined ? [] : [...hideDenied(host, view), ...pinWays(view.masks)]),
  ];
  const layout: Omit<Layout, 'nothing'> = {
    ...{ sharesNetwork: true, nests: true },
    // Root could write to the disk itself.
    devices: user === 0 ? 'usual' : 'more',
    mounts: [
      ...mounts,
      ...hideStarters(host, user, around.home, { containers }),
      ...(await hideSockets(host, mounts, (path) => isUsual(path, host, run.roots, containers))),
    ],
    cwd: nameOfFolder(host, command),
  };
  return {
    ok: true,
    isConfined: true,
    command: wrap(around, asFirst(command), layout),
    explain: (output) => describeGuarded(run.guarded, output, run.cwd),
    finish: run.finish,
  };
}

/** Renamed away, a folder would take what is hidden or fixed in it along, to where nothing covers it. */
function pinWays(paths: readonly string[]): readonly Mount[] {
  return [...new Set(paths.flatMap((path) => wayTo(dirname(path))))].map((path) => ({ kind: 'pin', path }));
}

/** The first process waits only for the command, then ends; the kernel ends all others before it counts as gone. */
function asFirst(command: ProcessCommand): ProcessCommand {
  const args = ['-c', '"$@"; exit $?', 'sh', command.file, ...command.args];
  return { ...command, file: '/bin/sh', args };
}

/** The list of name servers is often in `/run`, which is hidden. */
async function nameServers(host: Host): Promise<readonly Mount[]> {
  const real = await host.files.realpath('/etc/resolv.conf').catch(() => undefined);
  return real?.startsWith('/run/') ? [{ kind: 'show', path: real }] : [];
}
