/** What a command sees that runs without anyone's permission: the roots, git's folders of them, and installed programs. */

import type { SyncFiles } from '../../../host/files.js';
import type { Host } from '../../../host/host.js';
import type { Result } from '../../../protocol/result.js';
import { isWithin } from '../../permissions/paths/resolve-path.js';
import type { Surroundings } from '../linux/surroundings.js';
import type { View } from '../sandbox.js';
import { findWorkTree, gitFolderOf } from '../view/find-git-folders.js';
import { hideHomeSecrets } from '../view/home-secrets.js';
import { traceLinks } from '../view/trace-links.js';
import type { Mount } from './mounts.js';

/** Where the user's git settings are. */
const GIT_CONFIG = '/run/coppice-git/config';

/** The first of these that nothing else is shown at. */
const TEMPORARY = ['/tmp', '/var/tmp', '/run/coppice'];

export type NarrowMounts = Result<{
  readonly mounts: readonly Mount[];
  /** The only folder that a command which reads can write to. */
  readonly temporary: string;
  /** The user's git settings, as they are named there; undefined: there are none. */
  readonly gitConfig: string | undefined;
}>;

export type NarrowRequest = {
  readonly view: View;
  /** May contain links on the way. */
  readonly show: readonly string[];
  /** As the shell calls its folder. */
  readonly cwd: string;
  /** The roots can be written to. */
  readonly writes: boolean;
  /** Only git runs: it sees its objects, and the whole work trees that the roots are parts of. */
  readonly wholeGit?: boolean;
};

export function narrowMounts(
  host: Host,
  around: Surroundings,
  { view, show, cwd, writes, wholeGit = false }: NarrowRequest,
): NarrowMounts {
  const files = host.files.sync;
  const { file: gitConfig } = around.gitSettings;
  const place = traceLinks(cwd, files);
  if (place === undefined) return { ok: false, reason: `the folder ${cwd} does not exist` };
  const shown: Mount[] = [
    ...view.roots.map((path): Mount => ({ kind: writes ? 'open' : 'show', path })),
    ...view.gitFolders.map((path): Mount => ({ kind: 'show', path })),
  ];
  const trees = wholeGit ? findTrees(view.roots, files) : [];
  for (const path of [...trees, ...view.readRoots, ...show, ...around.gitSettings.files]) {
    const traced = traceLinks(path, files);
    if (traced === undefined) continue;
    if (traced.real === '/' || isWithin(around.home, traced.real)) {
      return { ok: false, reason: `${path} would show the home folder as a whole` };
    }
    if (!isOfTheSandbox(traced.real)) shown.push({ kind: 'show', path: traced.real });
    shown.push(...traced.links.map((link): Mount => ({ kind: 'link', ...link })));
  }
  const covers = (path: string) => shown.some((mount) => mount.kind !== 'link' && isWithin(path, mount.path));
  const temporary = TEMPORARY.find((path) => !covers(path)) ?? '/run/coppice';
  const tools = around.tools(view.roots);
  const folders = [...shown, ...tools].flatMap((mount) => (mount.kind === 'link' ? [] : [mount.path]));
  const mounts: Mount[] = [
    ...around.systemMounts,
    ...(covers('/etc') ? [] : around.etc(shown.some(({ path }) => isWithin(path, '/etc')))),
    ...tools,
    { kind: 'folder', path: around.home },
    { kind: 'own', path: temporary },
    ...(gitConfig === undefined ? [] : [{ kind: 'show', path: GIT_CONFIG, source: gitConfig } as const]),
    ...shown,
    ...place.links.map((link): Mount => ({ kind: 'link', ...link })),
    ...hideHomeSecrets(host, folders),
    ...hideDenied(host, view),
    ...(wholeGit ? [] : view.stores).flatMap((path) => hide(host, path, true)),
    ...view.pipes.flatMap((path) => hide(host, path, false)),
  ];
  return { ok: true, mounts, temporary, gitConfig: gitConfig && GIT_CONFIG };
}

function findTrees(roots: readonly string[], files: SyncFiles): readonly string[] {
  return roots.flatMap((root) => {
    const top = findWorkTree(root, files);
    const git = top === undefined ? undefined : gitFolderOf(top, files);
    return [top, git].flatMap((path) => (path === undefined || roots.some((one) => isWithin(path, one)) ? [] : [path]));
  });
}

export function hideDenied(host: Host, { masks, maskedFolders }: View): readonly Mount[] {
  return masks.flatMap((path) => hide(host, path, maskedFolders.includes(path)));
}

/** What is gone meanwhile needs no cover, and can't have one. */
function hide(host: Host, path: string, isFolder: boolean): readonly Mount[] {
  if (host.files.sync.lstat(path) === undefined) return [];
  return [{ kind: isFolder ? 'hide-folder' : 'hide-file', path }];
}

/** It has its own, fresh ones. */
function isOfTheSandbox(path: string): boolean {
  return ['/proc', '/dev'].some((folder) => isWithin(path, folder));
}
