/** The command that runs another in the reading box, through bubblewrap. */

import { isAbsolute } from 'node:path';
import type { Host } from '../../../host/host.js';
import type { ProcessCommand } from '../../../host/processes.js';
import { isWithin } from '../../permissions/paths/resolve-path.js';
import { boxEnvironment } from '../box-environment.js';
import { hideHomeSecrets } from '../look/home-secrets.js';
import { traceLinks } from '../look/trace-links.js';
import type { Assembled } from '../opened-box.js';
import type { PreparedBox } from '../reading-box.js';
import { type BoxMount, boxArguments } from './box-mounts.js';
import type { Surroundings } from './surroundings.js';

const FIRST_DESCRIPTOR = 3;
/** The first of these that nothing else is shown at. */
const TEMPORARY = ['/tmp', '/var/tmp', '/run/coppice'];

/** `show` may contain links on the way. */
export function assembleBox(
  host: Host,
  around: Surroundings,
  command: ProcessCommand,
  box: PreparedBox,
  show: readonly string[],
): Assembled {
  const files = host.files.sync;
  const cwd = nameOfFolder(host, command);
  const place = traceLinks(cwd, files);
  if (place === undefined) return { ok: false, reason: `the folder ${cwd} does not exist` };
  const shown: BoxMount[] = [...box.roots, ...box.gitFolders].map((path) => ({ kind: 'show', path }));
  for (const path of [...box.readRoots, ...show, ...around.gitSettings.files]) {
    const traced = traceLinks(path, files);
    if (traced === undefined) continue;
    if (traced.real === '/' || isWithin(around.home, traced.real)) {
      return { ok: false, reason: `${path} would show the home folder as a whole` };
    }
    if (!isOfTheBox(traced.real)) shown.push({ kind: 'show', path: traced.real });
    shown.push(...traced.links.map((link): BoxMount => ({ kind: 'link', ...link })));
  }
  const covers = (path: string) => shown.some((mount) => mount.kind === 'show' && isWithin(path, mount.path));
  const temporary = TEMPORARY.find((path) => !covers(path)) ?? '/run/coppice';
  const tools = around.tools(box.roots);
  const folders = [...shown, ...tools].flatMap((mount) => (mount.kind === 'show' ? [mount.path] : []));
  const mounts: BoxMount[] = [
    ...around.systemMounts,
    ...(covers('/etc') ? [] : around.etc(shown.some(({ path }) => isWithin(path, '/etc')))),
    ...tools,
    { kind: 'folder', path: around.home },
    { kind: 'own', path: temporary },
    ...shown,
    ...place.links.map((link): BoxMount => ({ kind: 'link', ...link })),
    ...hideHomeSecrets(host, folders),
    ...box.masks.flatMap((path) => hide(path, box.maskedFolders.includes(path), host)),
    ...box.pipes.flatMap((path) => hide(path, false, host)),
  ];
  const descriptors = command.descriptors ?? [];
  const filter = FIRST_DESCRIPTOR + descriptors.length;
  const layout = { mounts, cwd, filter, nothing: around.nothing };
  const started = closeInherited(command, around.inherited, filter);
  return {
    ok: true,
    command: {
      ...command,
      file: around.bubblewrap.file,
      args: boxArguments(around.bubblewrap, layout, started),
      cwd: '/',
      env: boxEnvironment(command.env, { ...around, temporary }),
      descriptors: [...descriptors, { kind: 'file', path: around.filter }],
    },
  };
}

/** Descriptors up to `ours` are what the command was given; bubblewrap closes the filter. */
function closeInherited({ file, args }: ProcessCommand, inherited: readonly number[], ours: number): readonly string[] {
  const closed = inherited.filter((descriptor) => descriptor > ours);
  if (closed.length === 0) return [file, ...args];
  const closing = `exec ${closed.map((descriptor) => `${descriptor}>&-`).join(' ')}`;
  const [option, script, ...rest] = args;
  if (file === 'bash' && option === '-c') return [file, option, `${closing}; ${script}`, ...rest];
  return ['bash', '-c', `${closing}; exec "$@"`, 'bash', file, ...args];
}

/** The box has its own, fresh ones. */
function isOfTheBox(path: string): boolean {
  return ['/proc', '/dev'].some((folder) => isWithin(path, folder));
}

/** What is gone meanwhile needs no cover, and can't have one. */
function hide(path: string, isFolder: boolean, host: Host): readonly BoxMount[] {
  if (host.files.sync.lstat(path) === undefined) return [];
  return [{ kind: isFolder ? 'hide-folder' : 'hide-file', path }];
}

/** A shell keeps the name by which its folder was reached: `pwd` must print the same in the box. */
function nameOfFolder(host: Host, { cwd, env }: ProcessCommand): string {
  const called = env.PWD;
  if (called === undefined || !isAbsolute(called) || called === cwd) return cwd;
  try {
    const real = host.files.sync.realpath(called);
    return real !== undefined && real === host.files.sync.realpath(cwd) ? called : cwd;
  } catch {
    return cwd;
  }
}
