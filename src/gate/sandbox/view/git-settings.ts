/**
 * The person's own git configuration for a git in the box: read once, reduced to what runs nothing and holds no keys, and
 * written as a file that takes the place of `~/.gitconfig` there. So a repository's own values win, as they do outside.
 */

import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { userHome } from '../../../config/paths.js';
import type { Host } from '../../../host/host.js';
import { processEnvironment } from '../../../host/programs/process-environment.js';

export type GitSettings = {
  /** The configuration, in our own folder; it stays for later sessions. Undefined: none. */
  readonly file: string | undefined;
  /** Files that settings name. */
  readonly files: readonly string[];
};

type Pairs = readonly (readonly [key: string, value: string])[];

/** Say how things are written, found or compared. No program, no address, no file, nothing that is switched off. */
const HARMLESS =
  /^(?:safe\.directory|user\.(?:name|email)|init\.defaultbranch|(?:color|column|advice|i18n|pretty|versionsort)\..+|status\.(?:short|branch|relativepaths|showuntrackedfiles|renames|renamelimit|aheadbehind|showstash)|core\.(?:quotepath|abbrev|autocrlf|eol|safecrlf|whitespace|commentchar|precomposeunicode|ignorecase|untrackedcache)|diff\.(?:renames|renamelimit|algorithm|context|interhunkcontext|noprefix|mnemonicprefix|relative|colormoved|colormovedws|wserrorhighlight|indentheuristic|dirstat|statgraphwidth|statnamewidth|suppressblankempty|wordregex)|log\.(?:date|decorate|abbrevcommit|follow|showroot|diffmerges|mailmap|excludedecoration|initialdecorationset|graphcolors)|format\.pretty|blame\.(?:date|showroot|showemail|blankboundary|coloring)|grep\.(?:linenumber|column|patterntype|extendedregexp|fullname)|branch\.sort|tag\.sort|push\.default|remote\.pushdefault|stash\.show(?:patch|stat|includeuntracked))$/;

/** Name a file that is read and never run. */
const FILES: Readonly<Record<string, string>> = { 'core.excludesfile': 'ignore', 'core.attributesfile': 'attributes' };

const LONGEST_MS = 5_000;

export type GitPlace = {
  /** The repository whose `includeIf` sections count. */
  readonly folder: string;
  /** Our own folder for boxes. */
  readonly state: string;
};

/** Listing runs no program. Without git, or if it fails: no settings. */
export async function readGitSettings(
  host: Host,
  git: string | undefined,
  { folder, state }: GitPlace,
): Promise<GitSettings> {
  if (git === undefined) return { file: undefined, files: [] };
  // A broken repository must not take the person's settings away.
  const listed = (await list(host, git, folder)) ?? (await list(host, git, '/')) ?? [];
  const { pairs, files } = await reduce(host, listed);
  if (pairs.length === 0) return { file: undefined, files };
  const text = writeConfig(pairs);
  const file = join(state, `git-${createHash('sha256').update(text).digest('hex').slice(0, 16)}.config`);
  if ((await host.files.lstat(file)) === undefined) await host.files.replace(file, text);
  return { file, files };
}

/** Where the person's configuration is. No other variable of git counts: they come before every file. */
const PLACES = ['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'];

async function list(host: Host, git: string, cwd: string): Promise<Pairs | undefined> {
  const places = Object.entries(host.env).filter(([name]) => PLACES.includes(name));
  const env = { ...processEnvironment(host, 'own'), ...Object.fromEntries(places) };
  const args = ['config', '--list', '--show-scope', '--includes', '-z'];
  const run = await host.processes.run({ file: git, args, cwd, env, timeoutMs: LONGEST_MS });
  return run.code === 0 ? parse(run.stdout.toString('utf8')) : undefined;
}

/** Each entry is its scope, then its key and its value. Only the person's and the system's count. */
function parse(text: string): Pairs {
  const parts = text.split('\0');
  const pairs: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const entry = parts[at + 1] ?? '';
    if (!/^(?:system|global)$/.test(parts[at] ?? '')) continue;
    const end = entry.indexOf('\n');
    // A key without a value means true.
    pairs.push(end < 0 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)]);
  }
  return pairs;
}

function writeConfig(pairs: Pairs): string {
  const quote = (value: string) =>
    `"${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`;
  return pairs
    .map(([key, value]) => {
      const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')];
      const sub = first === last ? '' : ` ${quote(key.slice(first + 1, last))}`;
      return `[${key.slice(0, first)}${sub}]\n\t${key.slice(last + 1)} = ${quote(value)}\n`;
    })
    .join('');
}

async function reduce(host: Host, pairs: Pairs): Promise<{ pairs: Pairs; files: readonly string[] }> {
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
