/** The sandbox on macOS, through `sandbox-exec`: for commands that only read. */

import { join } from 'node:path';
import { userHome } from '../../../config/paths.js';
import type { Host } from '../../../host/host.js';
import type { ProcessCommand } from '../../../host/processes.js';
import { findOwnProgram } from '../../../host/programs/own-program.js';
import type { Result } from '../../../protocol/result.js';
import { isWithin } from '../../permissions/paths/resolve-path.js';
import { boxEnvironment } from '../box-environment.js';
import { describeHidden } from '../describe-hidden.js';
import { openBoxState } from '../linux/box-state.js';
import { type Opened, type SandboxOptions, unconfined } from '../opened-sandbox.js';
import { removeTree } from '../remove-tree.js';
import type { View } from '../sandbox.js';
import { type GitSettings, readGitSettings } from '../view/git-settings.js';
import { hideHomeSecrets } from '../view/home-secrets.js';
import { createPreparer } from '../view/prepare-view.js';
import { findTools } from '../view/shown-tools.js';
import { traceLinks } from '../view/trace-links.js';
import { macProfile } from './mac-profile.js';

const PROGRAM = '/usr/bin/sandbox-exec';
const SYSTEM = ['/System', '/usr', '/bin', '/sbin', '/Library', '/opt', '/nix'];

export async function openMac({ host, roots, trusted = false }: SandboxOptions): Promise<Opened> {
  if ((await host.files.stat(PROGRAM)) === undefined) return { ok: false, reason: `${PROGRAM} is missing` };
  const state = await openBoxState(host);
  const temporary = join(state, `tmp-${host.newId()}`);
  await host.files.makeFolder(temporary, 0o700);
  const removeTemporary = () => removeTree(host, temporary);
  const home = await host.files.realpath(userHome(host.env));
  const git = findOwnProgram(host, 'git', roots);
  const gitSettings = await readGitSettings(host, git, { folder: roots[0] ?? '/', state });
  const tools = (all: readonly string[]) => {
    const mounts = findTools(host, { home, roots: all, system: SYSTEM });
    return mounts.flatMap((mount) => (mount.kind === 'show' ? [mount.path] : []));
  };
  const preparer = createPreparer({ host, home, git, system: SYSTEM, tools, owner: undefined, writes: false });
  const assemble = (command: ProcessCommand, view: View, show: readonly string[]) =>
    assembleMac(host, { home, temporary, gitSettings, trusted, tools: tools(view.roots) }, command, view, show);
  const reason = await probeMac(host, assemble, temporary);
  if (reason !== undefined) {
    await removeTemporary();
    return { ok: false, reason };
  }
  const found = 'sandbox-exec: a command ran; writing and the home were refused';
  return {
    ok: true,
    sandbox: {
      found,
      confines: 'reads',
      preparer,
      confine: async (command, profile, { view }) => {
        if (profile.kind === 'ruled' || profile.kind === 'sandboxed') return unconfined(command);
        if (profile.kind === 'working' || view === undefined)
          return { ok: false, reason: 'The command was not run: on macOS only commands that read can be confined.' };
        const assembled = assemble(command, view, profile.show);
        if (!assembled.ok) return assembled;
        return {
          ok: true,
          isConfined: true,
          command: assembled.command,
          explain: (output, exit) => describeHidden(view, output, exit),
          finish: async () => [],
        };
      },
      close: removeTemporary,
    },
  };
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
  view: View,
  show: readonly string[],
): Assembled {
  const files = host.files.sync;
  const named = [...show, ...gitSettings.files].flatMap((path) => traceLinks(path, files) ?? []);
  if (named.some(({ real }) => isWithin(home, real))) return { ok: false, reason: 'it would show the home as a whole' };
  const folders = [...view.roots, ...view.readRoots, ...view.gitFolders];
  const ways = [...named, ...[command.cwd, command.env.PWD ?? '/'].flatMap((path) => traceLinks(path, files) ?? [])];
  const shown = [...folders, ...tools, ...named.map(({ real }) => real)];
  const secrets = hideHomeSecrets(host, shown);
  const profile = macProfile({
    shown,
    links: ways.flatMap(({ links }) => links.map(({ path }) => path)),
    secrets: secrets.map(({ path }) => path),
    again: [...view.readRoots, ...(gitSettings.file === undefined ? [] : [gitSettings.file])],
    denied: view.masks,
    temporary,
  });
  const env = boxEnvironment(host, command.env, { temporary, gitConfig: gitSettings.file, trusted, roots: view.roots });
  return {
    ok: true,
    command: { ...command, file: PROGRAM, args: ['-p', profile, command.file, ...command.args], env },
  };
}

type Assembled = Result<{ readonly command: ProcessCommand }>;
type Assemble = (command: ProcessCommand, view: View, show: readonly string[]) => Assembled;

/** Undefined if it works; it is cheap enough for every session. */
async function probeMac(host: Host, assemble: Assemble, temporary: string): Promise<string | undefined> {
  const root = join(temporary, 'root');
  const secret = join(temporary, '..', `secret-${host.newId()}`);
  await host.files.makeFolder(root, 0o700);
  await host.files.create(secret, 'secret');
  try {
    const view: View = { ...NOTHING, roots: [root] };
    const args = ['-c', MAC_SCRIPT, 'probe', secret];
    const assembled = assemble({ file: '/bin/bash', args, cwd: root, env: host.env }, view, []);
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

const NOTHING: View = {
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
  fixed: [],
  wide: false,
  unchanged: undefined,
  stores: [],
};
