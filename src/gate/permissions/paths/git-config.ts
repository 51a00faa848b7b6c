/** Searches a git configuration file for anything that may run a program or redirect git. */

import { GIT_PROGRAMS_OFF } from '../../../host/git/git-environment.js';

/** Settings that neither name a program nor a file nor another repository to read. */
const HARMLESS_KEYS =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|abbrev|quotepath|longpaths|untrackedcache|sparsecheckout|sparsecheckoutcone)|remote\.[^\n]*\.(?:url|fetch|pushurl|tagopt|prune)|branch\.[^\n]*\.(?:remote|merge|rebase|description|pushremote|vscode-merge-base)|user\.(?:name|email)|init\.defaultbranch|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote)|fetch\.prune|merge\.ff|rebase\.(?:autosquash|autostash)|extensions\.(?:objectformat|refstorage|worktreeconfig)|gc\.auto|color\.[a-z]+|advice\.[a-z]+)$/;

/** Settings whose value `host/git/git-environment.ts` replaces. */
const SWITCHED_OFF = new Set(GIT_PROGRAMS_OFF.map(([key]) => key.toLowerCase()));

/**
 * Returns the first key not known to be harmless. Anything this small parser can't read is treated as one. `isHere` tests
 * whether a path, as in `core.worktree`, is the folder of the repository. `isOff`: git runs with these programs off.
 */
export function findProgramKey(config: string, isHere?: (path: string) => boolean, isOff = false): string | undefined {
  for (const { name, value, unusual } of keysOf(config)) {
    if (unusual !== undefined) return unusual;
    // A submodule names its own folder.
    if (name === 'core.worktree' && /^[^"\\#;]+$/.test(value) && isHere?.(value) === true) continue;
    if (isOff && SWITCHED_OFF.has(name)) continue;
    if (!HARMLESS_KEYS.test(name)) return name;
    // `ext::` and the like name a program to run.
    if (/^(?:remote|branch)\./.test(name) && value.includes('::')) return name;
  }
  return undefined;
}

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
