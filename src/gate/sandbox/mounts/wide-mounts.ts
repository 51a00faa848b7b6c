/** What a command sees that a person or a rule permitted: the machine, read-only or as it is, less what is hidden. */

import { join } from 'node:path';
import type { Host } from '../../../host/host.js';
import { isWithin } from '../../permissions/paths/resolve-path.js';
import type { Surroundings } from '../linux/surroundings.js';
import type { View } from '../sandbox.js';
import type { Mount } from './mounts.js';

export type WideRequest = {
  /** Real paths of the folders it works in. */
  readonly roots: readonly string[];
  /** Folders of our home that it may read. */
  readonly readable: readonly string[];
  readonly view: View | undefined;
  /** The name of a folder that only this run's processes have. */
  readonly mark: string;
};

/** For a command that a rule allows: the whole machine, writable. */
export function openMachine(
  host: Host,
  { ownHome }: Surroundings,
  { roots, mark, ...shown }: WideRequest,
): readonly Mount[] {
  return [
    { kind: 'open', path: '/' },
    { kind: 'empty', path: ownHome },
    { kind: 'own', path: join(ownHome, mark) },
    ...roots.map((path): Mount => ({ kind: 'open', path })),
    ...readableParts(host, ownHome, shown),
  ];
}

/** For the setting `sandbox`: the machine read-only, and a `/tmp` of the session. `open`: roots, and what was granted. */
export function showMachine(
  host: Host,
  { ownHome, settings }: Surroundings,
  { mark, ...shown }: WideRequest,
  { open, temporary }: { readonly open: readonly string[]; readonly temporary: string },
): readonly Mount[] {
  const software = SOFTWARE_IN_RUN.filter((path) => host.files.sync.lstat(path) !== undefined);
  return [
    { kind: 'show', path: '/' },
    // First, because of two mounts for one path the first applies, and `/tmp` itself may be a root.
    ...open.map((path): Mount => ({ kind: 'open', path })),
    { kind: 'open', path: '/tmp', source: temporary },
    ...open.flatMap(surroundingsInTmp),
    // Sockets of services accept connections even on a read-only file system: Docker's, the session bus.
    { kind: 'empty', path: '/run' },
    { kind: 'own', path: join('/run', mark) },
    ...software.map((path): Mount => ({ kind: 'show', path })),
    { kind: 'empty', path: ownHome },
    ...readableParts(host, ownHome, shown),
    ...settings.map((path): Mount => ({ kind: 'read', path })),
  ];
}

const SOFTWARE_IN_RUN = ['/run/current-system', '/run/wrappers', '/run/opengl-driver'];

function readableParts(
  host: Host,
  ownHome: string,
  { readable, view }: Pick<WideRequest, 'readable' | 'view'>,
): readonly Mount[] {
  const folders = [...readable, ...(view?.readRoots ?? [])].filter(
    (path) => isWithin(path, ownHome) && host.files.sync.lstat(path)?.kind === 'folder',
  );
  return folders.map((path): Mount => ({ kind: 'show', path }));
}

/** `/tmp` is replaced; for a root inside it, the surrounding project must still be visible. */
function surroundingsInTmp(path: string): readonly Mount[] {
  const project = /^\/tmp\/[^/]+(?=\/)/.exec(path)?.[0];
  return project === undefined ? [] : [{ kind: 'show', path: project }];
}
