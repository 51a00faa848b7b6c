/** What all commands of a session have in common: the system, the programs, the made-up `/etc`, and the user's git settings. */

import { dirname, join } from 'node:path';
import { configDir, userHome } from '../../../config/paths.js';
import type { Host } from '../../../host/host.js';
import { findOwnProgram } from '../../../host/programs/own-program.js';
import { DEVICES } from '../mounts/bubblewrap-arguments.js';
import type { Mount } from '../mounts/mounts.js';
import { type GitSettings, readGitSettings } from '../view/git-settings.js';
import { findTools } from '../view/shown-tools.js';
import { openBoxState } from './box-state.js';
import { makeEtc, type Owner } from './etc-folder.js';
import type { Bubblewrap } from './find-bubblewrap.js';
import { seccompFilter } from './seccomp-filter.js';

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix', '/gnu', '/opt', '/snap'];

export type Surroundings = {
  readonly bubblewrap: Bubblewrap;
  /** The folders agents work in as the session starts: none of our own programs is taken from there. */
  readonly roots: readonly string[];
  /** Our own folder; what is in it stays for later sessions. */
  readonly state: string;
  /** The seccomp programs: for commands that only read, and for those that may change files. */
  readonly filters: { readonly reading: string; readonly working: string };
  /** A file that nobody may read. */
  readonly nothing: string;
  /** The user's home and our own, links resolved. */
  readonly home: string;
  readonly ownHome: string;
  /** The folder of the user's settings, if it exists. */
  readonly settings: readonly string[];
  /** The user and the group of this process. */
  readonly owner: Owner;
  readonly git: string | undefined;
  readonly gitSettings: GitSettings;
  readonly trusted: boolean;
  /** Folders of the system that are shown as they are. */
  readonly system: readonly string[];
  readonly systemMounts: readonly Mount[];
  /** `/etc`; `apart`: so that something else can be shown in it. */
  etc(apart: boolean): readonly Mount[];
  /** Descriptors we were started with, which every process of ours inherits. */
  readonly inherited: readonly number[];
  /** Programs outside the system's folders. */
  tools(roots: readonly string[]): readonly Mount[];
};

/** Throws if something can't be made. */
export async function openSurroundings(
  host: Host,
  bubblewrap: Bubblewrap,
  { roots, trusted }: { readonly roots: readonly string[]; readonly trusted: boolean },
): Promise<Surroundings> {
  const owner = (await host.files.stat('/proc/self'))?.owner;
  if (owner === undefined) throw new Error('/proc is not there');
  const devices = await Promise.all(DEVICES.map((path) => host.files.stat(path)));
  const ownsDevices = devices.some((device) => device === undefined || device.owner.user === owner.user);
  const reading = seccompFilter(host.platform.arch, { ownsDevices });
  const working = seccompFilter(host.platform.arch, { ownsDevices: false });
  if (reading === undefined || working === undefined) {
    throw new Error(`there is no filter of system calls for ${host.platform.arch}`);
  }
  const state = await openBoxState(host);
  const filters = { reading: join(state, 'filter.bpf'), working: join(state, 'working.bpf') };
  await keep(host, filters.reading, reading);
  await keep(host, filters.working, working);
  const nothing = join(state, 'nothing');
  if ((await host.files.lstat(nothing)) === undefined) await host.files.create(nothing, '', 0o000).catch(() => {});
  const copies = await makeEtc(host, state, owner);
  const git = findOwnProgram(host, 'git', roots);
  const home = await host.files.realpath(userHome(host.env)).catch(() => userHome(host.env));
  const settings = await host.files.realpath(configDir(host.env)).catch(() => undefined);
  const { system, mounts } = await findSystem(host);
  const apart: Mount[] = (await host.files.list(copies.folder)).map(({ name }) => ({
    kind: 'show',
    path: join('/etc', name),
    source: join(copies.folder, name),
  }));
  const tools = new Map<string, readonly Mount[]>();
  return {
    bubblewrap,
    roots,
    state,
    filters,
    nothing,
    home,
    ownHome: dirname(state),
    settings: settings === undefined ? [] : [settings],
    owner,
    git,
    gitSettings: await readGitSettings(host, git, { folder: roots[0] ?? '/', state }),
    trusted,
    system,
    inherited: await findInherited(host),
    systemMounts: mounts,
    etc: (isApart) => {
      const changed = copies.changed();
      const real = changed.map((path): Mount => ({ kind: 'show', path, source: path }));
      if (isApart) return [...apart.filter(({ path }) => !changed.includes(path)), ...real];
      return [{ kind: 'show', path: '/etc', source: copies.folder }, ...real];
    },
    tools: (all) => {
      const key = all.join('\0');
      const found = tools.get(key) ?? findTools(host, { home, roots: all, system });
      tools.set(key, found);
      return found;
    },
  };
}

const CLOSED_ON_EXEC = 0o2000000;

/** Everything we open ourselves is closed when another program starts. */
async function findInherited(host: Host): Promise<readonly number[]> {
  const found: number[] = [];
  for (const { name } of await host.files.list('/proc/self/fdinfo')) {
    const info = (await host.files.read(`/proc/self/fdinfo/${name}`).catch(() => undefined))?.toString('utf8') ?? '';
    const flags = Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? '2000000', 8);
    if (Number(name) > 2 && (flags & CLOSED_ON_EXEC) === 0) found.push(Number(name));
  }
  return found;
}

async function keep(host: Host, path: string, content: Buffer): Promise<void> {
  const there = await host.files.read(path).catch(() => undefined);
  if (there === undefined || !there.equals(content)) await host.files.replace(path, content);
}

/** `/bin` and the like are links on most machines: they are made again. */
async function findSystem(host: Host): Promise<{ system: readonly string[]; mounts: readonly Mount[] }> {
  const system: string[] = [];
  const mounts: Mount[] = [];
  for (const path of SYSTEM) {
    const kind = (await host.files.lstat(path).catch(() => undefined))?.kind;
    if (kind === 'link') mounts.push({ kind: 'link', path, target: await host.files.readLink(path) });
    if (kind !== 'folder') continue;
    system.push(path);
    mounts.push({ kind: 'show', path });
  }
  return { system, mounts };
}
