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
    if (key === undefined || text.endsWith('\\')) return `something unusual (${text.slice(0, 60)})`;
    const name = `${section}.${key.toLowerCase()}`;
    // A submodule names its own folder.
    if (name === 'core.worktree' && /^[^"\\#;]+$/.test(value) && isHere?.(value) === true) continue;
    if (isOff && SWITCHED_OFF.has(name)) continue;
    if (!HARMLESS_KEYS.test(name)) return name;
    // `ext::` and the like name a program to run.
    if (/^(?:remote|branch)\./.test(name) && value.includes('::')) return name;
  }
  return undefined;
}
