/** Looks at an agent's folders before a decision: whether a command can be shown them, and what must be covered. */

import { dirname, join } from 'node:path';
import { coppiceHome } from '../../../config/paths.js';
import type { SyncFiles } from '../../../host/files.js';
import type { Host } from '../../../host/host.js';
import type { Result } from '../../../protocol/result.js';
import { realPath } from '../../permissions/paths/real-path.js';
import { isWithin } from '../../permissions/paths/resolve-path.js';
import type { Prepared, View, ViewRequest } from '../sandbox.js';
import { createDeniedInGit, type DeniedInGit, type FoundInGit } from './denied-in-git.js';
import { findGitFolders } from './find-git-folders.js';
import { findHomeSecrets } from './home-secrets.js';
import { createLister, type Denied, type FolderLister, type Matchers } from './list-folders.js';
import { createMatcher, type DeniedMatcher } from './match-denied.js';
import { recordPlaces } from './places.js';
import { findSameFiles } from './same-files.js';

export type Preparer = {
  prepare(request: ViewRequest): Promise<Prepared>;
  /** What must be covered in a folder that is shown for one command. */
  cover(folders: readonly string[], request: ViewRequest): Promise<Covered>;
};

export type Covered = Result<{
  readonly masks: readonly Denied[];
  readonly pipes: readonly string[];
  readonly unchanged: readonly string[];
  readonly repositories: readonly string[];
}>;

export type PreparerOptions = {
  readonly host: Host;
  readonly home: string;
  /** The program; undefined if there is none that may be run. */
  readonly git: string | undefined;
  /** Shown as they are, without a look at each file. */
  readonly system: readonly string[];
  /** Folders of programs that are shown in addition to the roots. */
  tools(roots: readonly string[]): readonly string[];
  /** Users and groups have the same names for a confined command only if they are ours. Undefined: it sees all owners. */
  readonly owner: { readonly user: number; readonly group: number } | undefined;
  /** Commands that write can be confined here, too. */
  readonly writes: boolean;
};

const MOST_MASKS = 20;
const MOST_UNCHANGED = 20;
/** Folders of git's objects that may be hidden besides. */
const STORES_BEYOND = 20;
const NOTHING_IN_GIT: FoundInGit = { found: false, stores: [] };
const NOT_SHOWN = ['/proc', '/sys', '/dev'];

export function createPreparer(options: PreparerOptions): Preparer {
  const { host, home } = options;
  const lister = createLister(host);
  const inGit = createDeniedInGit(host, options.git);
  const matchersOf = ({ denied, fixed, roots }: ViewRequest): Matchers => {
    const folders = { home, working: roots };
    return {
      denied: createMatcher(denied, folders, host.files.sync),
      fixed: options.writes ? createMatcher(fixed, folders, host.files.sync) : undefined,
    };
  };
  return {
    prepare: async (request) => {
      if (request.wide) {
        if (!options.writes) return { ok: false, reason: 'only commands that read can be confined on this system' };
        return prepareWide(options, lister, inGit, request, matchersOf({ ...request, fixed: [] }).denied);
      }
      const refused = refuseRoots(options, request.roots);
      if (refused !== undefined) return { ok: false, reason: refused };
      return prepare(options, lister, inGit, request, matchersOf(request));
    },
    cover: async (folders, request) => {
      const real = folders.flatMap((folder) => realPath(folder, host.files.sync) ?? []);
      return cover(host, lister, real, [...request.roots, ...real], matchersOf(request));
    },
  };
}

/** Where the command sees the whole machine, denied files are looked for wherever a pattern may reach. */
async function prepareWide(
  { host }: PreparerOptions,
  lister: FolderLister,
  inGit: DeniedInGit,
  request: ViewRequest,
  matcher: DeniedMatcher | undefined,
): Promise<Prepared> {
  const files = host.files.sync;
  const bases = matcher?.bases.flatMap((base) => realPath(base, files) ?? []) ?? [];
  const holdsRoot = (folder: string) => request.roots.some((root) => isWithin(root, folder));
  const whole = bases.filter((base) => !holdsRoot(base) && matcher?.covers(base, true));
  const listed =
    matcher === undefined ? [] : outermost([...request.roots, ...bases.filter((one) => !whole.includes(one))]);
  const covered = await cover(host, lister, listed, listed, { denied: matcher, fixed: undefined });
  if (!covered.ok) return covered;
  const folders = [...request.roots, ...covered.repositories];
  const found = matcher !== undefined && (await inGit.find(folders, matcher)).found;
  const masks = [
    ...covered.masks,
    ...whole.map((path) => ({ path, isFolder: true })),
    ...findNamed(files, matcher, ['/']),
  ];
  if (masks.length > MOST_MASKS) return tooMany(masks.length);
  const covers = { masks, pipes: [], unchanged: [] };
  return { ok: true, view: viewOf(request, covers, { listed, files, deniedInGit: found }) };
}

type ViewParts = { readonly listed: readonly string[]; readonly files: SyncFiles; readonly deniedInGit: boolean };

function viewOf(
  request: ViewRequest,
  { masks, pipes, unchanged }: Pick<Extract<Covered, { ok: true }>, 'masks' | 'pipes' | 'unchanged'>,
  { listed, files, deniedInGit }: ViewParts,
): View {
  const covers = [...masks.map(({ path }) => path), ...pipes];
  return {
    ...request,
    masks: masks.map(({ path }) => path),
    maskedFolders: masks.filter(({ isFolder }) => isFolder).map(({ path }) => path),
    pipes,
    unchanged: unchanged.length > MOST_UNCHANGED ? undefined : unchanged,
    deniedInGit,
    gitIsWhole: true,
    stores: [],
    gitFolders: [],
    places: recordPlaces([...listed, ...covers.map((path) => dirname(path))], files),
  };
}

/** Why these folders can't be shown as they are. */
function refuseRoots({ host, owner }: PreparerOptions, roots: readonly string[]): string | undefined {
  const secrets = findHomeSecrets(host);
  const own = realPath(coppiceHome(host.env), host.files.sync);
  for (const root of roots) {
    const secret = secrets.find((path) => isWithin(root, path)) ?? (root === own ? own : undefined);
    if (secret !== undefined) return `${secret} holds credentials or our own state, which are never shown`;
    if (root === '/') return 'a working folder is the whole file system';
    if (realPath(root, host.files.sync) !== root) return `${root} is no folder any more, or was replaced by a link`;
    if (NOT_SHOWN.some((folder) => isWithin(root, folder))) return `${root} is part of the running system`;
    for (const path of [root, join(root, '.git')]) {
      const found = lookAt(host, path);
      if (found === 'unknown') return `${path} could not be looked at`;
      if (owner === undefined || found === undefined) continue;
      if (found.user !== owner.user || found.group !== owner.group) {
        return `${path} belongs to another user or group, whose name would not be known there`;
      }
    }
  }
  return undefined;
}

function lookAt(host: Host, path: string) {
  try {
    return host.files.sync.lstat(path)?.owner;
  } catch {
    return 'unknown';
  }
}

async function prepare(
  options: PreparerOptions,
  lister: FolderLister,
  inGit: DeniedInGit,
  request: ViewRequest,
  matchers: Matchers,
): Promise<Prepared> {
  const { roots, readRoots } = request;
  const { denied: matcher } = matchers;
  const files = options.host.files.sync;
  const git = roots.map((root) => findGitFolders(root, roots, files));
  const gitFolders = [...new Set(git.flatMap(({ shown }) => shown))];
  const listed = [
    ...roots,
    ...gitFolders,
    ...readRoots.flatMap((folder) => realPath(folder, options.host.files.sync) ?? []),
  ];
  const unlisted = options.system.find((folder) => matcher?.reaches(folder, listed));
  if (unlisted !== undefined) {
    return { ok: false, reason: `a rule that denies reading may be about any file in ${unlisted}` };
  }
  const tools = options.tools(roots);
  const folders = outermost([...listed, ...tools.filter((folder) => matcher?.reaches(folder, listed))]);
  const covered = await cover(options.host, lister, folders, folders, matchers);
  if (!covered.ok) return covered;
  const { pipes, repositories } = covered;
  const history = matcher === undefined ? NOTHING_IN_GIT : await inGit.find([...roots, ...repositories], matcher);
  const stores = history.stores.filter((path) => listed.some((folder) => isWithin(path, folder)));
  const within = listed.find((folder) => history.stores.some((path) => isWithin(folder, path)));
  if (within !== undefined) return { ok: false, reason: `${within} may hold denied files among git’s objects` };
  const masks = [...covered.masks, ...findNamed(files, matcher, [...options.system, ...tools])];
  const count = masks.length + stores.length + pipes.length;
  if (count > MOST_MASKS + STORES_BEYOND) return tooMany(count);
  const nested = repositories.map((folder) => findGitFolders(folder, [...roots, ...gitFolders], files));
  const view = viewOf(request, { ...covered, masks }, { listed, files, deniedInGit: history.found });
  return {
    ok: true,
    view: {
      ...view,
      ...(options.writes ? {} : { unchanged: undefined }),
      stores,
      gitFolders,
      gitIsWhole:
        !history.found &&
        [...git, ...nested].every(({ isWhole, shown }) => isWhole && shown.every((one) => gitFolders.includes(one))),
    },
  };
}

async function cover(
  host: Host,
  lister: FolderLister,
  folders: readonly string[],
  shown: readonly string[],
  matchers: Matchers,
): Promise<Covered> {
  const masks = new Map<string, Denied>();
  const pipes = new Set<string>();
  const unchanged = new Set<string>();
  const repositories = new Set<string>();
  for (const folder of folders) {
    if (matchers.denied?.covers(folder, true)) return { ok: false, reason: `reading ${folder} is denied as a whole` };
    const listed = await lister.list(folder, shown, matchers);
    if (!listed.ok) return listed;
    for (const one of listed.listing.denied) masks.set(one.path, one);
    for (const path of listed.listing.pipes) pipes.add(path);
    for (const path of listed.listing.unchanged) unchanged.add(path);
    for (const path of listed.listing.repositories) repositories.add(path);
  }
  const same = await findSameFiles(host, folders, [...masks.values()]);
  if (!same.ok) return same;
  for (const path of same.paths) masks.set(path, { path, isFolder: false });
  const count = masks.size + pipes.size;
  if (count > MOST_MASKS) return tooMany(count);
  return {
    ok: true,
    masks: [...masks.values()],
    pipes: [...pipes],
    unchanged: [...unchanged],
    repositories: [...repositories],
  };
}

function tooMany(count: number) {
  const reason = `${count} files would have to be hidden one by one; ${MOST_MASKS} are possible`;
  return { ok: false, reason } as const;
}

/** Single files that a rule names, in folders that are not listed. */
function findNamed(
  files: SyncFiles,
  matcher: DeniedMatcher | undefined,
  folders: readonly string[],
): readonly Denied[] {
  return (matcher?.named ?? []).flatMap((path) => {
    const real = files.realpath(path);
    const kind = real === undefined ? undefined : files.lstat(real)?.kind;
    if (real === undefined || kind === undefined || !folders.some((folder) => isWithin(real, folder))) return [];
    return [{ path: real, isFolder: kind === 'folder' }];
  });
}

/** Without those that lie in another. */
function outermost(folders: readonly string[]): readonly string[] {
  const all = [...new Set(folders)];
  return all.filter((folder) => !all.some((other) => other !== folder && isWithin(folder, other)));
}
