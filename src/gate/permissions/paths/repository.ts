/**
 * Whether the git repository around a folder could run its own programs: hooks, filters, file watchers, external diffs.
 * Only settings known to be harmless pass; any other counts as a program.
 */

import { dirname, isAbsolute, join } from 'node:path';
import type { SyncFiles } from '../../../host/files.js';

export type RepositoryReading = {
  /** The folder that holds `.git` or is a bare repository; undefined if there is none. */
  readonly folder: string | undefined;
  /** The first thing in it that may run a program. */
  readonly program?: string;
};

const HARMLESS_KEYS =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|abbrev|quotepath|longpaths|untrackedcache)|remote\.[^\n]*\.(?:url|fetch|pushurl|tagopt|prune)|branch\.[^\n]*\.(?:remote|merge|rebase|description|pushremote|vscode-merge-base)|user\.(?:name|email)|init\.defaultbranch|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote)|extensions\.(?:objectformat|refstorage)|gc\.auto|color\.[a-z]+|advice\.[a-z]+)$/;
const LARGEST_CONFIG = 256 * 1024;
/** Git ships about a dozen samples; a folder with more than this has other files too. */
const MOST_HOOKS = 1_000;

export function readRepository(cwd: string, files: SyncFiles): RepositoryReading {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const found = look(folder, files);
    if (found !== undefined) return { folder, ...found };
    if (folder === dirname(folder)) return { folder: undefined };
  }
}

function look(folder: string, files: SyncFiles): { program?: string } | undefined {
  try {
    const dot = files.lstat(join(folder, '.git'));
    if (dot?.kind === 'folder') return readGitFolder(join(folder, '.git'), folder, files);
    if (dot?.kind === 'file') return readGitFile(join(folder, '.git'), folder, files);
    if (dot !== undefined) return { program: '.git is a link' };
    // A bare repository has no `.git`.
    const head = files.lstat(join(folder, 'HEAD'));
    const objects = files.lstat(join(folder, 'objects'));
    if (head !== undefined && objects?.kind === 'folder') return readGitFolder(folder, folder, files);
    return undefined;
  } catch {
    return { program: '.git could not be read' };
  }
}

/** In a worktree or a submodule `.git` is a file that names the real folder. */
function readGitFile(path: string, folder: string, files: SyncFiles) {
  const named = /^gitdir: (.+?)\s*$/.exec(readSmall(path, files) ?? '')?.[1];
  if (named === undefined) return { program: '.git is a file that names no folder' };
  const gitFolder = isAbsolute(named) ? named : join(folder, named);
  const common = readSmall(join(gitFolder, 'commondir'), files);
  const shared = common === undefined ? gitFolder : join(gitFolder, common.trim());
  const own = readGitFolder(gitFolder, folder, files);
  return own.program !== undefined || shared === gitFolder ? own : readGitFolder(shared, folder, files);
}

function readGitFolder(gitFolder: string, folder: string, files: SyncFiles): { program?: string } {
  for (const name of ['config', 'config.worktree']) {
    const config = readSmall(join(gitFolder, name), files);
    const program = config === undefined ? undefined : findProgramKey(config);
    if (program !== undefined) return { program: `its ${name} sets ${program}` };
  }
  const hook = findHook(join(gitFolder, 'hooks'), files);
  if (hook !== undefined) return { program: `it has the hook ${hook}` };
  if (files.lstat(join(folder, '.gitmodules')) !== undefined) return { program: 'it has submodules' };
  return {};
}

function readSmall(path: string, files: SyncFiles): string | undefined {
  const stat = files.lstat(path);
  if (stat === undefined) return undefined;
  if (stat.kind !== 'file' || stat.size > LARGEST_CONFIG) throw new Error(`${path} is not an ordinary file`);
  return files.read(path).toString('utf8');
}

function findHook(folder: string, files: SyncFiles): string | undefined {
  const stat = files.lstat(folder);
  if (stat === undefined) return undefined;
  if (stat.kind !== 'folder') return 'folder that is a link';
  return files.list(folder, MOST_HOOKS).find((entry) => !entry.name.endsWith('.sample'))?.name;
}

/** The first key not known to be harmless. Anything this small parser can't read counts as one. */
export function findProgramKey(config: string): string | undefined {
  let section = '';
  for (const line of config.split('\n')) {
    const text = line.trim();
    if (text === '' || text.startsWith('#') || text.startsWith(';')) continue;
    const header = /^\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]$/.exec(text);
    if (header !== null) {
      section = [header[1]?.toLowerCase(), header[2]].filter((part) => part !== undefined).join('.');
      continue;
    }
    const key = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=|$)/.exec(text)?.[1];
    if (key === undefined || text.endsWith('\\')) return `something unusual (${text.slice(0, 60)})`;
    const name = `${section}.${key.toLowerCase()}`;
    if (!HARMLESS_KEYS.test(name)) return name;
    if (/^remote\..*url$/.test(name) && text.includes('::')) return name;
  }
  return undefined;
}
