/** Probes the sandbox: runs commands in it that try what must not work. What was found is kept until the next boot. */

import { join } from 'node:path';
import * as z from 'zod';
import type { Host } from '../../../host/host.js';
import { findOwnProgram } from '../../../host/programs/own-program.js';
import { processEnvironment } from '../../../host/programs/process-environment.js';
import type { Result } from '../../../protocol/result.js';
import { bubblewrapArguments } from '../mounts/bubblewrap-arguments.js';
import type { Mount } from '../mounts/mounts.js';
import { removeTree } from '../remove-tree.js';
import type { Preparer } from '../view/prepare-view.js';
import { confineReading } from './confine.js';
import { explainStart } from './explain-start.js';
import type { Surroundings } from './surroundings.js';

/** `found`: a description of what was tried. */
export type Probe = Result<{ readonly found: string }>;

/** Another number for another probe. */
const VERSION = 3;
const KEPT_FILE = 'probe.json';
const keptSchema = z.object({ key: z.string(), found: z.string() });

/** Only a success is kept: what is missing may be enabled at any time. */
export async function probeOnce(host: Host, around: Surroundings, preparer: Preparer): Promise<Probe> {
  const file = join(around.state, KEPT_FILE);
  const key = await machineKey(host, around);
  const kept = await readKept(host, file);
  if (kept?.key === key) return { ok: true, found: kept.found };
  const probe = await probeMachine(host, around, preparer);
  if (probe.ok) await host.files.replace(file, JSON.stringify({ key, found: probe.found }));
  return probe;
}

async function readKept(host: Host, file: string): Promise<z.infer<typeof keptSchema> | undefined> {
  try {
    return keptSchema.safeParse(JSON.parse((await host.files.read(file)).toString('utf8'))).data;
  } catch {
    return undefined;
  }
}

/** This boot of this kernel, this container, this bubblewrap, this user. */
async function machineKey(host: Host, { bubblewrap, owner }: Surroundings): Promise<string> {
  const boot = (await host.files.read('/proc/sys/kernel/random/boot_id')).toString('utf8').trim();
  const spaces = await Promise.all(['user', 'mnt'].map((name) => host.files.readLink(`/proc/self/ns/${name}`)));
  return [VERSION, boot, ...spaces, bubblewrap.file, bubblewrap.version, owner.user].join(' ');
}

async function probeMachine(host: Host, around: Surroundings, preparer: Preparer): Promise<Probe> {
  const base = join(around.state, `probe-${host.newId()}`);
  const root = join(base, 'root');
  const secret = join(base, 'secret');
  await host.files.makeFolder(root, 0o700);
  try {
    await host.files.create(secret, 'secret');
    const pipe = join(root, 'pipe');
    const file = findOwnProgram(host, 'mkfifo', around.roots);
    if (file === undefined) return { ok: false, reason: 'it can’t be tested: mkfifo is missing' };
    const env = processEnvironment(host, 'own', around.roots);
    const made = await host.processes.run({ file, args: [pipe], cwd: root, env, timeoutMs: 5_000 });
    if (made.code !== 0) return { ok: false, reason: 'it can’t be tested: a pipe could not be made' };
    const narrow = await probeNarrow(host, around, preparer, { root, secret, pipe });
    if (!narrow.ok) return narrow;
    const wide = await probeWide(host, around, base);
    return wide ?? narrow;
  } finally {
    await removeTree(host, base);
  }
}

type Scene = { readonly root: string; readonly secret: string; readonly pipe: string };

async function probeNarrow(
  host: Host,
  around: Surroundings,
  preparer: Preparer,
  { root, secret, pipe }: Scene,
): Promise<Probe> {
  const fail = (what: string): Probe => ({ ok: false, reason: `bubblewrap ${around.bubblewrap.version} ${what}` });
  const request = { roots: [root], readRoots: [], denied: [], fixed: [], wide: false };
  const prepared = await preparer.prepare(request);
  if (!prepared.ok) return fail(`could not be tried: ${prepared.reason}`);
  const node = await host.files.readLink('/proc/self/exe');
  const env = { ...processEnvironment(host, 'command', around.roots), COPPICE_PROBE_KEY: 'key' };
  const script = {
    file: findOwnProgram(host, 'bash', around.roots) ?? '/bin/bash',
    args: ['-c', SCRIPT, 'probe', root, secret, pipe, node],
    cwd: root,
    env,
  };
  const assembled = confineReading(host, around, script, { roots: [root], view: prepared.view }, { show: [node] });
  if (!assembled.ok) return fail(`could not be tried: ${assembled.reason}`);
  const run = await host.processes.run({ ...assembled.command, timeoutMs: 20_000 });
  const said = parse(run.stdout.toString('utf8'));
  if (said.get('ran') !== 'yes' || said.get('temporary') !== 'yes') {
    return fail(`could not run a command: ${await explainStart(host, run.stderr.toString('utf8'), run.timedOut)}`);
  }
  for (const [name, what] of Object.entries(FORBIDDEN))
    if (said.get(name) !== 'no') return fail(`let a command ${what}`);
  if (!/^0+$/.test(said.get('capabilities') ?? '')) return fail('left a command capabilities');
  for (const space of ['net', 'pid', 'ipc']) {
    const inside = said.get(space) ?? '';
    if (inside === '' || inside === (await host.files.readLink(`/proc/self/ns/${space}`))) {
      return fail(`gave a command no ${space} namespace of its own`);
    }
  }
  if (said.get('socket') !== 'EAFNOSUPPORT') return fail('let a command make a socket to reach other programs');
  if (said.get('device') !== 'no') return fail('let a command change a device of this machine');
  const found =
    'a command ran; writing, a remount, the network, a socket, a pipe, the home and other processes were refused';
  return { ok: true, found: `bubblewrap ${around.bubblewrap.version}: ${found}` };
}

/** With the whole machine writable, a guard must hold, and our own memory must stay out of reach. Undefined: it does. */
async function probeWide(
  host: Host,
  { bubblewrap, nothing, roots }: Surroundings,
  base: string,
): Promise<Extract<Probe, { ok: false }> | undefined> {
  const fail = (what: string) => ({ ok: false, reason: `bubblewrap ${bubblewrap.version} ${what}` }) as const;
  const guard = join(base, 'guard');
  await host.files.makeFolder(guard, 0o700);
  const mounts: Mount[] = [
    { kind: 'open', path: '/' },
    { kind: 'read', path: guard },
  ];
  const layout = { sharesNetwork: true, nests: false, devices: 'usual', nothing } as const;
  const pid = await host.files.readLink('/proc/self');
  const args = bubblewrapArguments(bubblewrap, { ...layout, mounts, cwd: base }, [
    ...[findOwnProgram(host, 'bash', roots) ?? '/bin/bash', '-c', WIDE_SCRIPT, 'probe', guard, pid],
  ]);
  const own = processEnvironment(host, 'own', roots);
  // A single program in a folder of the PATH may lead into a repository.
  const env = { ...own, PATH: `/usr/sbin:/usr/bin:/sbin:/bin:${own.PATH}` };
  const run = await host.processes.run({ file: bubblewrap.file, args, cwd: '/', env, timeoutMs: 20_000 });
  const said = parse(run.stdout.toString('utf8'));
  if (said.get('ran') !== 'yes' || (await host.files.lstat(join(base, 'written'))) === undefined) {
    return fail(`could not run a command: ${await explainStart(host, run.stderr.toString('utf8'), run.timedOut)}`);
  }
  if ((await host.files.list(guard)).length > 0) return fail('let a command write to a forbidden path');
  for (const [name, what] of Object.entries(FORBIDDEN_WIDE))
    if (said.get(name) !== 'no') return fail(`let a command ${what}`);
  return /^0+$/.test(said.get('capabilities') ?? '') ? undefined : fail('left a command capabilities');
}

const FORBIDDEN = {
  wrote: 'write to a folder it may only read',
  kernel: "change the kernel's settings",
  connected: 'use the network',
  pipe: 'write to a pipe',
  secret: 'see the home folder',
  key: 'see a variable that may hold a key',
  process: 'see other processes',
  remounted: 'remount what is read-only',
};
const FORBIDDEN_WIDE = {
  wrote: 'write to a forbidden path',
  remounted: 'remount what is read-only',
  kernel: "change the kernel's settings",
  environment: 'read the environment of this process',
};

/** The address is reserved for documentation: no machine has it. */
const TRIES = `
echo ran=yes
try() { local name=$1; shift; if ("$@") 2>/dev/null; then echo "$name=yes"; else echo "$name=no"; fi; }
put() { : > "$1"; }
append() { exec 3>>"$1"; }
open() { exec 3<>"$1"; }
connect() { exec 3<>/dev/tcp/192.0.2.1/9; }
exists() { [ -e "$1" ]; }
keyed() { [ -n "$COPPICE_PROBE_KEY" ]; }
crowded() { set -- /proc/[0-9]*; [ $# -gt 5 ]; }
remount() { mount -o remount,bind,rw "$1"; }
try remounted remount "$1"
try wrote put "$1/written"
try kernel append /proc/sys/kernel/core_pattern
while read -r name value; do case $name in CapEff:) echo "capabilities=$value";; esac; done < /proc/self/status
`;
const WIDE_SCRIPT = `${TRIES}
: > written
reads() { read -r -N 1 < "$1"; }
try environment reads "/proc/$2/environ"
`;
const SCRIPT = `${TRIES}
try temporary put "$TMPDIR/written"
try connected connect
try pipe open "$3"
try secret exists "$2"
try key keyed
try process crowded
for space in net pid ipc; do echo "$space=$(readlink /proc/self/ns/$space)"; done
"$4" -e 'const fs = require("node:fs");
try { fs.chmodSync("/dev/null", fs.statSync("/dev/null").mode & 0o7777); console.log("device=yes"); } catch { console.log("device=no"); }
const s = require("node:net").createServer(); s.on("error", (e) => console.log("socket=" + e.code));
s.listen(process.env.TMPDIR + "/socket", () => { console.log("socket=made"); s.close(); });'
`;

function parse(output: string): ReadonlyMap<string, string> {
  const lines = output
    .split('\n')
    .map((line) => [line.split('=')[0] ?? '', line.slice(line.indexOf('=') + 1)] as const);
  return new Map(lines);
}
