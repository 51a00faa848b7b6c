/**
 * Programs outside the system's folders that a box shows: the folders of the PATH, the packages their links lead to, and
 * the known homes and caches of toolchains, without the files in which those keep credentials.
 */

import { isAbsolute, join, normalize } from 'node:path';
import type { Host } from '../../../host/host.js';
import { isWithin } from '../../permissions/paths/resolve-path.js';
import type { Mount } from '../mounts/mounts.js';
import { findHomeSecrets } from './home-secrets.js';
import { traceLinks } from './trace-links.js';

/** The variable that moves it, where it is by default in the home, and which parts of it are shown. */
const TOOL_HOMES: readonly (readonly [variable: string | undefined, folder: string, parts: readonly string[]])[] = [
  ['NVM_DIR', '.nvm', ['versions', 'alias']],
  ['VOLTA_HOME', '.volta', ['bin', 'tools']],
  ['FNM_DIR', '.local/share/fnm', ['.']],
  ['PNPM_HOME', '.local/share/pnpm', ['.']],
  ['N_PREFIX', 'n', ['n', 'bin', 'lib']],
  ['BUN_INSTALL', '.bun', ['bin', 'install/global']],
  ['DENO_INSTALL_ROOT', '.deno', ['bin']],
  ['MISE_DATA_DIR', '.local/share/mise', ['shims', 'installs', 'plugins']],
  ['ASDF_DATA_DIR', '.asdf', ['.']],
  ['PYENV_ROOT', '.pyenv', ['.']],
  ['RBENV_ROOT', '.rbenv', ['.']],
  [undefined, '.nodenv', ['.']],
  [undefined, '.goenv', ['.']],
  [undefined, '.jenv', ['.']],
  ['RUSTUP_HOME', '.rustup', ['toolchains', 'settings.toml']],
  ['CARGO_HOME', '.cargo', ['bin', 'registry', 'git']],
  ['GOPATH', 'go', ['bin', 'pkg']],
  ['SDKMAN_DIR', '.sdkman', ['candidates']],
  ['CONDA_PREFIX', 'miniconda3', ['.']],
  ['DOTNET_ROOT', '.dotnet', ['.']],
  [undefined, '.local/share/uv', ['python', 'tools']],
  [undefined, '.local/share/pipx', ['venvs']],
  [undefined, '.ghcup', ['bin', 'ghc', 'cabal']],
  [undefined, '.nix-profile', ['.']],
  [undefined, '.linuxbrew', ['.']],
  [undefined, '/home/linuxbrew/.linuxbrew', ['.']],
];

/** The part of a path that belongs together with the file at its end. */
const PACKAGES = [/^.*?\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/, /^.*?\/(?:venvs|tools|Cellar)\/[^/]+(?=\/)/];
const MOST_LINKS = 2_000;
const MOST_SHOWN = 60;

export type ToolsQuestion = {
  readonly home: string;
  /** Real paths of the folders agents work in. */
  readonly roots: readonly string[];
  /** Shown anyway. */
  readonly system: readonly string[];
};

export function findTools(host: Host, { home, roots, system }: ToolsQuestion): readonly Mount[] {
  const files = host.files.sync;
  const secrets = findHomeSecrets(host);
  const isSecret = (path: string) => secrets.some((secret) => isWithin(path, secret));
  const mounts = new Map<string, Mount>();
  const isShown = (path: string) => [...system, ...roots].some((folder) => isWithin(path, folder));
  /** Never the home or what contains it or a root: that would show far more than programs. */
  const isTooMuch = (path: string) => [home, ...roots].some((folder) => isWithin(folder, path));
  const show = (path: string): string | undefined => {
    const traced = traceLinks(path, files);
    if (traced === undefined || mounts.size > MOST_SHOWN) return undefined;
    if (isTooMuch(traced.real) || isSecret(traced.real)) return undefined;
    for (const link of traced.links) if (!isShown(link.path)) mounts.set(link.path, { kind: 'link', ...link });
    if (!isShown(traced.real)) mounts.set(traced.real, { kind: 'show', path: traced.real });
    return traced.real;
  };

  for (const [variable, folder, parts] of TOOL_HOMES) {
    const moved = variable === undefined ? undefined : host.env[variable];
    const base =
      moved !== undefined && isAbsolute(moved) ? normalize(moved) : join(isAbsolute(folder) ? '/' : home, folder);
    if (!isTooMuch(base)) for (const part of parts) show(join(base, part));
  }
  for (const entry of (host.env.PATH ?? '').split(':')) {
    if (!isAbsolute(entry) || isTooMuch(normalize(entry))) continue;
    // One folder for all packages of a project: each mount has its cost.
    const folder = show(normalize(entry).replace(/(?<=\/node_modules)\/\.bin\/?$/, ''));
    if (folder === undefined || isShown(folder) || folder.endsWith('/node_modules')) continue;
    for (const part of toolParts(folder)) show(part);
    for (const target of linkTargets(host, folder)) {
      const whole = PACKAGES.map((pattern) => pattern.exec(target)?.[0]).find((found) => found !== undefined);
      if (![...mounts.values()].some((mount) => mount.kind === 'show' && isWithin(target, mount.path))) {
        show(whole !== undefined && !isTooMuch(whole) ? whole : target);
      }
    }
  }
  return [...mounts.values()];
}

/** A toolchain may be in another home than the person's. */
function toolParts(folder: string): readonly string[] {
  return TOOL_HOMES.flatMap(([, name, parts]) => {
    const end = name.startsWith('.') ? folder.indexOf(`/${name}/`) : -1;
    return end < 0 ? [] : parts.map((part) => join(folder.slice(0, end), name, part));
  });
}

/** Of programs only: a link to anything else would show what nobody called a program. */
function linkTargets(host: Host, folder: string): readonly string[] {
  const { sync } = host.files;
  const targets: string[] = [];
  try {
    for (const { name, kind } of sync.list(folder, MOST_LINKS)) {
      const real = kind === 'link' ? sync.realpath(join(folder, name)) : undefined;
      const target = real === undefined ? undefined : sync.lstat(real);
      if (real === undefined || target?.kind !== 'file' || (target.mode & 0o111) === 0) continue;
      targets.push(real);
    }
  } catch {
    // What can't be listed can't be run by name either.
  }
  return targets;
}
