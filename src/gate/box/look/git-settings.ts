/** The person's own git configuration for a git in the box: read once, reduced to what runs nothing and holds no keys. */

import { join, resolve } from 'node:path';
import { userHome } from '../../../config/paths.js';
import type { Host } from '../../../host/host.js';

export type GitSettings = {
  readonly pairs: readonly (readonly [key: string, value: string])[];
  /** Files that settings name. */
  readonly files: readonly string[];
};

/** Say how things are written, found or compared. No program, no address, no file, nothing that is switched off. */
const HARMLESS =
  /^(?:safe\.directory|user\.(?:name|email)|init\.defaultbranch|(?:color|column|advice|i18n|pretty|versionsort)\..+|status\.(?:short|branch|relativepaths|showuntrackedfiles|renames|renamelimit|aheadbehind|showstash)|core\.(?:quotepath|abbrev|autocrlf|eol|safecrlf|whitespace|commentchar|precomposeunicode|ignorecase|untrackedcache)|diff\.(?:renames|renamelimit|algorithm|context|interhunkcontext|noprefix|mnemonicprefix|relative|colormoved|colormovedws|wserrorhighlight|indentheuristic|dirstat|statgraphwidth|statnamewidth|suppressblankempty|wordregex)|log\.(?:date|decorate|abbrevcommit|follow|showroot|diffmerges|mailmap|excludedecoration|initialdecorationset|graphcolors)|format\.pretty|blame\.(?:date|showroot|showemail|blankboundary|coloring)|grep\.(?:linenumber|column|patterntype|extendedregexp|fullname)|branch\.sort|tag\.sort|push\.default|remote\.pushdefault|stash\.show(?:patch|stat|includeuntracked))$/;

/** Name a file that is read and never run. */
const FILES: Readonly<Record<string, string>> = { 'core.excludesfile': 'ignore', 'core.attributesfile': 'attributes' };

const LONGEST_MS = 5_000;

/** Run outside of any repository, so that none is looked at; listing runs no program. Without git, or if it fails: no settings. */
export async function readGitSettings(host: Host, git: string | undefined): Promise<GitSettings> {
  if (git === undefined) return { pairs: [], files: [] };
  const run = await host.processes.run({
    file: git,
    args: ['config', '--list', '-z'],
    cwd: '/',
    env: host.env,
    timeoutMs: LONGEST_MS,
  });
  const pairs = run.code === 0 ? parse(run.stdout.toString('utf8')) : [];
  return reduce(host, pairs);
}

function parse(text: string): readonly (readonly [string, string])[] {
  return text
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const end = entry.indexOf('\n');
      // A key without a value means true.
      return end < 0 ? ([entry, 'true'] as const) : ([entry.slice(0, end), entry.slice(end + 1)] as const);
    });
}

async function reduce(host: Host, pairs: readonly (readonly [string, string])[]): Promise<GitSettings> {
  const home = userHome(host.env);
  const kept = pairs.filter(([key]) => HARMLESS.test(key.toLowerCase()));
  const files: string[] = [];
  for (const [key, name] of Object.entries(FILES)) {
    const set = pairs.findLast(([written]) => written.toLowerCase() === key)?.[1];
    const byDefault = join(host.env.XDG_CONFIG_HOME || join(home, '.config'), 'git', name);
    const path = set === undefined ? byDefault : resolve('/', set.replace(/^~(?=\/)/, home));
    if ((await host.files.stat(path).catch(() => undefined))?.kind !== 'file') continue;
    files.push(path);
    kept.push([key, path]);
  }
  return { pairs: kept, files };
}
