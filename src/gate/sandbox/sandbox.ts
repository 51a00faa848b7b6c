/** The sandbox for shell commands (GT-19). It restricts what a permitted command can do; it never permits one. */

import { configDir, coppiceHome, userHome } from '../../config/paths.js';
import type { Host } from '../../host/host.js';
import { serialQueue } from '../../host/locks/serial-queue.js';
import type { ProcessCommand, ProcessExit } from '../../host/processes.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { INSTALL } from '../confine/explain-start.js';
import { type Bubblewrap, findBubblewrap } from '../confine/find-bubblewrap.js';
import { type BranchViews, createBranchViews } from './branch-view.js';
import type { Confined, Needs, SandboxMode } from './confinement.js';
import { checkGrant } from './grant.js';
import { hideSockets, sandboxEnvironment } from './hidden-paths.js';
import type { Mount } from './mounts.js';
import { createNestedFolders } from './nested-folders.js';
import { prepareRun, type RunSurroundings } from './prepare-run.js';
import { type Probe, probeSandbox } from './probe.js';
import { describeRefusal, recogniseRefusal } from './recognise-refusal.js';
import { bubblewrapArguments } from './sandbox-arguments.js';
import { openState, type SandboxState } from './sandbox-state.js';
import { waitUntilGone } from './wait-until-gone.js';

export type SandboxOptions = {
  readonly host: Host;
  readonly mode: SandboxMode;
  /** The folders agents work in: programs of ours are never taken from there. */
  readonly roots: readonly string[];
  /** Folders of our home that commands may read (kept tool results). The others are hidden. */
  readonly readable?: readonly string[];
  readonly platform?: string;
};

export type SandboxStatus =
  | { readonly kind: 'off' }
  | { readonly kind: 'on'; readonly version: string; readonly found: string; readonly notes: readonly string[] }
  | { readonly kind: 'unavailable'; readonly reason: string };

export interface Sandbox {
  readonly mode: SandboxMode;
  /** The status of the sandbox. The first call probes; later ones return the same. */
  status(): Promise<SandboxStatus>;
  /** Returns the command to start instead. Only for a permitted command. */
  confine(command: ProcessCommand, needs: Needs): Promise<Confined>;
  /** Removes what was kept on disk. All commands must have ended. */
  close(): Promise<void>;
}

export function createSandbox(options: SandboxOptions): Sandbox {
  const { host, mode } = options;
  let opening: Promise<Opened> | undefined;
  const open = () => {
    opening ??= openSandbox(options);
    return opening;
  };
  return {
    mode,
    status: async () => (mode === 'off' ? { kind: 'off' } : (await open()).status),
    confine: async (command, needs) => {
      if (mode === 'off') return unconfined(command);
      const opened = await open();
      if (opened.ready !== undefined) return confineCommand(host, opened.ready, command, needs);
      const reason = opened.status.kind === 'unavailable' ? opened.status.reason : 'unknown';
      if (mode === 'required') return { ok: false, reason: refusal(reason) };
      return unconfined(command);
    },
    close: async () => {
      const opened = await opening?.catch(() => undefined);
      await opened?.ready?.state.remove();
    },
  };
}

type Ready = {
  readonly bubblewrap: Bubblewrap;
  readonly state: SandboxState;
  readonly surroundings: RunSurroundings;
  readonly branches: BranchViews;
};
type Opened = { readonly status: SandboxStatus; readonly ready?: Ready };

/** Never rejects: any failure means that there is no sandbox, with the reason. */
async function openSandbox(options: SandboxOptions): Promise<Opened> {
  const { host, roots, readable = [] } = options;
  const unavailable = (reason: string): Opened => ({ status: { kind: 'unavailable', reason } });
  const platform = options.platform ?? host.platform.os;
  if (platform !== 'linux') return unavailable(`it is not supported on ${platform}`);
  try {
    const bubblewrap = await findBubblewrap(host, roots);
    if (bubblewrap === undefined)
      return unavailable(`bubblewrap (bwrap) is not installed outside the folders agents can write to: ${INSTALL}`);
    await host.files.makeFolder(coppiceHome(host.env), 0o700);
    const home = await host.files.realpath(coppiceHome(host.env));
    const state = await openState(host, home);
    const probe: Probe = await probeSandbox(host, bubblewrap, state.scratch);
    if (!probe.ok) {
      await state.remove();
      return unavailable(probe.reason);
    }
    const always: Mount[] = [
      { kind: 'hide-folder', path: home },
      { kind: 'open', path: '/tmp', source: state.temporary },
    ];
    for (const path of readable) always.push({ kind: 'show', path });
    const settings = await host.files.realpath(configDir(host.env)).catch(() => undefined);
    if (settings !== undefined) always.push({ kind: 'read', path: settings });
    const person = await host.files.realpath(userHome(host.env)).catch(() => undefined);
    const surroundings: RunSurroundings = {
      always,
      hidden: [home],
      homes: person === undefined ? [] : [person],
      stubs: state.stubs,
      nested: createNestedFolders(host),
      inTurn: serialQueue(),
      granted: new Set(),
    };
    const { version, found } = probe;
    const branches = createBranchViews(host, state.branches);
    const ready = { bubblewrap, state, surroundings, branches };
    return { status: { kind: 'on', version, found, notes: state.notes }, ready };
  } catch (error) {
    return unavailable(`it could not be set up: ${reasonOf(error)}`);
  }
}

async function confineCommand(host: Host, ready: Ready, command: ProcessCommand, needs: Needs): Promise<Confined> {
  const { hidden } = ready.surroundings;
  const grant = await checkGrant(host, needs.grant ?? {}, { roots: needs.roots, hidden });
  if (!grant.ok) return grant;
  const id = host.newId();
  const mark = `coppice-run-${id}`;
  try {
    const cwd = await host.files.realpath(command.cwd);
    const run = await prepareRun(host, ready.surroundings, {
      id,
      cwd,
      needs,
      granted: grant.writable,
      names: grant.names,
    });
    const branches = needs.worktree === undefined ? undefined : await ready.branches.open(needs.worktree);
    const mounts = [
      ...run.mounts,
      ...(branches?.mounts ?? []),
      ...(await hideSockets(host, run.mounts)),
      ...(grant.network ? await nameServers(host) : []),
    ];
    const profile = { mounts, network: grant.network, cwd, mark };
    const args = bubblewrapArguments(ready.bubblewrap, profile, [command.file, ...command.args]);
    return {
      ok: true,
      sandboxed: true,
      command: { ...command, file: ready.bubblewrap.file, args, cwd: '/', env: sandboxEnvironment(command.env) },
      explain: (output) => {
        const refused = recogniseRefusal(output, { network: grant.network });
        return refused === undefined ? undefined : describeRefusal(refused);
      },
      finish: async (exit) => {
        // A normal exit comes after all others in the sandbox have ended; a killed process may be gone before them.
        const gone = endedByItself(exit) || (await waitUntilGone(host, mark));
        const lines = [...(await run.finish()), ...((await branches?.finish()) ?? [])];
        return gone ? lines : [...lines, 'a process the command started could not be stopped'];
      },
    };
  } catch (error) {
    // Never run without the sandbox here: a command that can break the preparation could otherwise escape it.
    const reason = reasonOf(error);
    return { ok: false, reason: `The sandbox could not be prepared, so the command was not run: ${reason}` };
  }
}

/** The list of name servers is often in `/run`, which is hidden. */
async function nameServers(host: Host): Promise<readonly Mount[]> {
  const real = await host.files.realpath('/etc/resolv.conf').catch(() => undefined);
  return real?.startsWith('/run/') ? [{ kind: 'show', path: real }] : [];
}

function endedByItself(exit: ProcessExit): boolean {
  return exit.error !== undefined || (exit.code !== null && exit.signal === null);
}

function unconfined(command: ProcessCommand): Confined {
  return { ok: true, sandboxed: false, command, explain: () => undefined, finish: async () => [] };
}

function refusal(reason: string): string {
  return `Commands must run in a sandbox here ("sandbox": "required"), and there is none: ${reason}. Nothing was run. Other tools still work; the person can fix it (coppice doctor) or change the setting.`;
}
