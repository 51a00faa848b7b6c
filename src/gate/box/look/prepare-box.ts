/** Looks at an agent's folders before a decision: whether they can be shown in a box, and what must be covered there. */

import { dirname, join } from 'node:path';
import { coppiceHome } from '../../../config/paths.js';
import type { SyncFiles } from '../../../host/files.js';
import type { Host } from '../../../host/host.js';
import type { Result } from '../../../protocol/result.js';
import { realPath } from '../../permissions/paths/real-path.js';
import { isWithin } from '../../permissions/paths/resolve-path.js';
import type { BoxRequest, Prepared } from '../reading-box.js';
import { createDeniedInGit, type DeniedInGit, type FoundInGit } from './denied-in-git.js';
import { findGitFolders } from './find-git-folders.js';
import { findHomeSecrets } from './home-secrets.js';
import { createLister, type Denied, type FolderLister } from './list-folders.js';
import { createMatcher, type DeniedMatcher } from './match-denied.js';
import { recordPlaces } from './places.js';

export type Preparer = {
  prepare(request: BoxRequest): Promise<Prepared>;
  /** What must be covered in a folder that is shown for one command. */
  cover(folders: readonly string[], request: BoxRequest): Promise<Covered>;
};

export type Covered = Result<{ readonly masks: readonly Denied[]; readonly pipes: readonly string[] }>;

export type PreparerOptions = {
  readonly host: Host;
  readonly home: string;
  readonly git: () => Promise<string | undefined>;
  /** Shown as they are, without a look at each file. */
  readonly system: readonly string[];
  /** Folders of programs that are shown beside the roots. */
  tools(roots: readonly string[]): readonly string[];
  /** Users and groups have the same names in the box only if they are ours. Undefined: it shows all owners. */
  readonly owner: { readonly user: number; readonly group: number } | undefined;
};

const MOST_MASKS = 20;
/** Folders of git's objects that may be hidden besides. */
const STORES_BEYOND = 20;
const NOTHING_IN_GIT: FoundInGit = { found: false, stores: [] };
const NOT_SHOWN = ['/proc', '/sys', '/dev'];

export function createPreparer(options: PreparerOptions): Preparer {
  const { host, home } = options;
  const lister = createLister(host);
  const inGit = createDeniedInGit(host, options.git);
  const matcherOf = ({ denied, roots }: BoxRequest) => createMatcher(denied, { home, working: roots }, host.files.sync);
  return {
    prepare: async (request) => {
      const refused = refuseRoots(options, request.roots);
      if (refused !== undefined) return { ok: false, reason: refused };
      return prepare(options, lister, inGit, request, matcherOf(request));
    },
    cover: async (folders, request) => {
      const real = folders.flatMap((folder) => realPath(folder, host.files.sync) ?? []);
      return cover(lister, real, [...request.roots, ...real], matcherOf(request));
    },
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
  request: BoxRequest,
  matcher: DeniedMatcher | undefined,
): Promise<Prepared> {
  const { roots, readRoots } = request;
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
  const covered = await cover(lister, folders, folders, matcher);
  if (!covered.ok) return covered;
  const { pipes, repositories } = covered;
  const history = matcher === undefined ? NOTHING_IN_GIT : await inGit.find([...roots, ...repositories], matcher);
  const stores = history.stores.filter((path) => listed.some((folder) => isWithin(path, folder)));
  const within = listed.find((folder) => history.stores.some((path) => isWithin(folder, path)));
  if (within !== undefined) return { ok: false, reason: `${within} may hold denied files among git’s objects` };
  const masks = [
    ...covered.masks,
    ...findNamed(files, matcher, [...options.system, ...tools]),
    ...stores.map((path) => ({ path, isFolder: true })),
  ];
  if (masks.length + pipes.length > MOST_MASKS + STORES_BEYOND) return tooMany(masks.length + pipes.length);
  const nested = repositories.map((folder) => findGitFolders(folder, [...roots, ...gitFolders], files));
  return {
    ok: true,
    box: {
      roots,
      readRoots,
      denied: request.denied,
      masks: masks.map(({ path }) => path),
      maskedFolders: masks.filter(({ isFolder }) => isFolder).map(({ path }) => path),
      pipes,
      gitFolders,
      places: recordPlaces(
        [...listed, ...[...masks.map(({ path }) => path), ...pipes].map((path) => dirname(path))],
        files,
      ),
      gitIsWhole:
        !history.found &&
        [...git, ...nested].every(({ isWhole, shown }) => isWhole && shown.every((one) => gitFolders.includes(one))),
      deniedInGit: history.found,
    },
  };
}

async function cover(
  lister: FolderLister,
  folders: readonly string[],
  shown: readonly string[],
  matcher: DeniedMatcher | undefined,
): Promise<Extract<Covered, { ok: false }> | (Extract<Covered, { ok: true }> & { repositories: readonly string[] })> {
  const masks = new Map<string, Denied>();
  const pipes = new Set<string>();
  const repositories = new Set<string>();
  for (const folder of folders) {
    if (matcher?.covers(folder, true)) return { ok: false, reason: `reading ${folder} is denied as a whole` };
    const listed = await lister.list(folder, shown, matcher);
    if (!listed.ok) return listed;
    for (const one of listed.listing.denied) masks.set(one.path, one);
    for (const path of listed.listing.pipes) pipes.add(path);
    for (const path of listed.listing.repositories) repositories.add(path);
  }
  const count = masks.size + pipes.size;
  if (count > MOST_MASKS) return tooMany(count);
  return { ok: true, masks: [...masks.values()], pipes: [...pipes], repositories: [...repositories] };
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
