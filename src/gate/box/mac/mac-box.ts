/** The reading box on macOS, through `sandbox-exec`. */

import { join } from 'node:path';
import { userHome } from '../../../config/paths.js';
import type { Host } from '../../../host/host.js';
import type { ProcessCommand } from '../../../host/processes.js';
import { findProgram } from '../../confine/find-program.js';
import { removeTree } from '../../confine/remove-tree.js';
import { isWithin } from '../../permissions/paths/resolve-path.js';
import { boxEnvironment } from '../box-environment.js';
import { openBoxState } from '../box-state.js';
import { type GitSettings, readGitSettings } from '../look/git-settings.js';
import { hideHomeSecrets } from '../look/home-secrets.js';
import { createPreparer } from '../look/prepare-box.js';
import { findTools } from '../look/shown-tools.js';
import { traceLinks } from '../look/trace-links.js';
import type { Assembled, BoxOptions, Opened } from '../opened-box.js';
import type { PreparedBox } from '../reading-box.js';
import { macProfile } from './mac-profile.js';

const PROGRAM = '/usr/bin/sandbox-exec';
const SYSTEM = ['/System', '/usr', '/bin', '/sbin', '/Library', '/opt', '/nix'];

export async function openMacBox({ host, roots, trusted = false }: BoxOptions): Promise<Opened> {
  if ((await host.files.stat(PROGRAM)) === undefined) return { ok: false, reason: `${PROGRAM} is missing` };
  const temporary = join(await openBoxState(host), `tmp-${host.newId()}`);
  await host.files.makeFolder(temporary, 0o700);
  const removeTemporary = () => removeTree(host, temporary);
  const home = await host.files.realpath(userHome(host.env));
  const git = await firstGit(host, roots);
  const gitSettings = await readGitSettings(host, git);
  const tools = (all: readonly string[]) => {
    const mounts = findTools(host, { home, roots: all, system: SYSTEM });
    return mounts.flatMap((mount) => (mount.kind === 'show' ? [mount.path] : []));
  };
  const preparer = createPreparer({ host, home, git: async () => git, system: SYSTEM, tools, owner: undefined });
  const assemble = (command: ProcessCommand, box: PreparedBox, show: readonly string[]) =>
    assembleMac(host, { home, temporary, gitSettings, trusted, tools: tools(box.roots) }, command, box, show);
  const reason = await probeMac(host, assemble, temporary);
  if (reason !== undefined) {
    await removeTemporary();
    return { ok: false, reason };
  }
  const found = 'sandbox-exec: a command ran; writing and the home were refused';
  return { ok: true, box: { found, preparer, assemble, close: removeTemporary } };
}

export type MacSurroundings = {
  readonly home: string;
  readonly temporary: string;
  readonly gitSettings: GitSettings;
  readonly trusted: boolean;
  readonly tools: readonly string[];
};

export function assembleMac(
  host: Host,
  { home, temporary, gitSettings, trusted, tools }: MacSurroundings,
  command: ProcessCommand,
  box: PreparedBox,
  show: readonly string[],
): Assembled {
  const files = host.files.sync;
  const named = [...show, ...gitSettings.files].flatMap((path) => traceLinks(path, files) ?? []);
  if (named.some(({ real }) => isWithin(home, real))) return { ok: false, reason: 'it would show the home as a whole' };
  const folders = [...box.roots, ...box.readRoots, ...box.gitFolders];
  const ways = [...named, ...[command.cwd, command.env.PWD ?? '/'].flatMap((path) => traceLinks(path, files) ?? [])];
  const shown = [...folders, ...tools, ...named.map(({ real }) => real)];
  const secrets = hideHomeSecrets(host, shown);
  const profile = macProfile({
    shown,
    links: ways.flatMap(({ links }) => links.map(({ path }) => path)),
    secrets: secrets.map(({ path }) => path),
    again: box.readRoots,
    denied: box.masks,
    temporary,
  });
  const env = boxEnvironment(command.env, { temporary, gitSettings, trusted });
  return {
    ok: true,
    command: { ...command, file: PROGRAM, args: ['-p', profile, command.file, ...command.args], env },
  };
}

type Assemble = (command: ProcessCommand, box: PreparedBox, show: readonly string[]) => Assembled;

/** Undefined if it works; it is cheap enough for every session. */
async function probeMac(host: Host, assemble: Assemble, temporary: string): Promise<string | undefined> {
  const root = join(temporary, 'root');
  const secret = join(temporary, '..', `secret-${host.newId()}`);
  await host.files.makeFolder(root, 0o700);
  await host.files.create(secret, 'secret');
  try {
    const box: PreparedBox = { ...NOTHING, roots: [root] };
    const args = ['-c', MAC_SCRIPT, 'probe', secret];
    const assembled = assemble({ file: '/bin/bash', args, cwd: root, env: host.env }, box, []);
    if (!assembled.ok) return assembled.reason;
    const run = await host.processes.run({ ...assembled.command, timeoutMs: 20_000 });
    const said = run.stdout.toString('utf8');
    return said === 'ran\n' ? undefined : `sandbox-exec did not do what it must: ${said}${run.stderr.toString('utf8')}`;
  } finally {
    await host.files.remove(secret);
  }
}

const MAC_SCRIPT = `
echo ran
( : > "$1.written" ) 2>/dev/null && echo wrote
( cat "$1" ) 2>/dev/null && echo read
( exec 3<>/dev/tcp/192.0.2.1/9 ) 2>/dev/null && echo connected
: > "$TMPDIR/written" || echo unusable
`;

const NOTHING: PreparedBox = {
  roots: [],
  readRoots: [],
  masks: [],
  deniedInGit: false,
  gitIsWhole: true,
  maskedFolders: [],
  pipes: [],
  gitFolders: [],
  places: [],
  denied: [],
};

async function firstGit(host: Host, roots: readonly string[]): Promise<string | undefined> {
  for await (const file of findProgram(host, 'git', roots)) return file;
  return undefined;
}
