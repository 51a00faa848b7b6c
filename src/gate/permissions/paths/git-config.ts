/** Searches a git configuration file for anything that may run a program or redirect git. */

import { join } from 'node:path';
import type { SyncFiles } from '../../../host/files.js';
import { GIT_PROGRAMS_OFF } from '../../../host/git/git-environment.js';

/** Settings that neither name a program nor a file nor another repository to read. */
const HARMLESS_KEYS =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|abbrev|quotepath|longpaths|untrackedcache|sparsecheckout|sparsecheckoutcone)|remote\.[^\n]*\.(?:url|fetch|pushurl|tagopt|prune)|branch\.[^\n]*\.(?:remote|merge|rebase|description|pushremote|vscode-merge-base)|user\.(?:name|email)|init\.defaultbranch|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote)|fetch\.prune|merge\.ff|rebase\.(?:autosquash|autostash)|extensions\.(?:objectformat|refstorage|worktreeconfig)|gc\.auto|color\.[a-z]+|advice\.[a-z]+)$/;

/** Settings whose value `host/git/git-environment.ts` replaces. */
const SWITCHED_OFF = new Set(GIT_PROGRAMS_OFF.map(([key]) => key.toLowerCase()));

/**
 * Returns the first key not known to be harmless. Anything this small parser can't read is treated as one. `isHere` tests
 * whether a path, as in `core.worktree`, is the folder of the repository. `programs`: which of them git runs with.
 */
export function findProgramKey(
  config: string,
  isHere?: (path: string) => boolean,
  programs: 'on' | 'off' | 'off-alone' = 'on',
): string | undefined {
  for (const { name, value, unusual } of keysOf(config)) {
    if (unusual !== undefined) return unusual;
    // A submodule names its own folder.
    if (name === 'core.worktree' && /^[^"\\#;]+$/.test(value) && isHere?.(value) === true) continue;
    if (programs !== 'on' && SWITCHED_OFF.has(name)) continue;
    if (programs !== 'on' && IDLE_KEYS.test(name)) continue;
    if (programs === 'off-alone' && SUBMODULE_KEYS.test(name)) continue;
    if (!HARMLESS_KEYS.test(name)) return name;
    // `ext::` and the like name a program to run.
    if (/^(?:remote|branch)\./.test(name) && value.includes('::')) return name;
  }
  return undefined;
}

/** They matter only to commands that reach another machine, that a person watches, or that are no commands of git itself. */
const IDLE_KEYS =
  /^(?:alias|pager|difftool|mergetool|help|push|receive|branch|remote|url|http|credential|sendemail|gui|gitk|instaweb|column|advice|color)\.|^(?:diff\.(?:gui)?tool|merge\.(?:gui)?tool|submodule\.(?:recurse|fetchjobs))$/;

/** They say where a submodule comes from, which matters only to who enters or fetches it. */
const SUBMODULE_KEYS = /^submodule\.[^\n]*\.(?:url|active|branch|ignore)$/;

/** They run in a commit and have names of their own, so that no setting of ours turns them off; or they may hide one. */
const LASTING_KEYS = /^(?:trailer\.(?:.*\.)?(?:cmd|command)|hook\..*\.command|include(?:if\..*)?\.path)$/s;

/** Returns the first key of a trusted repository that runs a program although git runs with its programs off. */
export function findLastingKey(config: string): string | undefined {
  for (const { name, unusual } of keysOf(config)) {
    if (unusual === undefined ? LASTING_KEYS.test(name) : /\b(?:trailer|hook|include)/i.test(`${name} ${unusual}`))
      return unusual ?? name;
  }
  return undefined;
}

const CONFIGS = ['config', 'config.worktree'];
const LARGEST_CONFIG = 256 * 1024;

/** The matching keys in the configuration of a git folder, and lines that can't be read. Throws for odd files. */
export function* findConfigured(gitFolder: string, key: RegExp, files: SyncFiles): Generator<string> {
  for (const name of CONFIGS) {
    const path = join(gitFolder, name);
    const stat = files.lstat(path);
    if (stat === undefined) continue;
    if (stat.kind !== 'file' || stat.size > LARGEST_CONFIG) throw new Error(`${path} is not an ordinary file`);
    for (const found of keysOf(files.read(path).toString('utf8'))) {
      if (found.unusual !== undefined) yield found.unusual;
      else if (key.test(found.name)) yield found.name;
    }
  }
}

type Key = { readonly name: string; readonly value: string; readonly unusual?: string };

/** `unusual`: a line that this small parser can't read. */
function* keysOf(config: string): Generator<Key> {
  let section = '';
  for (const line of config.split('\n')) {
    const text = line.trim();
    if (text === '' || text.startsWith('#') || text.startsWith(';')) continue;
    const header = /^\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]$/.exec(text);
    if (header !== null) {
      section = [header[1]?.toLowerCase(), header[2]].filter((part) => part !== undefined).join('.');
      continue;
    }
    const [, key, value = ''] = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/.exec(text) ?? [];
    const name = `${section}.${key?.toLowerCase() ?? ''}`;
    const isUnusual = key === undefined || text.endsWith('\\');
    yield { name, value, ...(isUnusual ? { unusual: `something unusual (${text.slice(0, 60)})` } : {}) };
  }
}
