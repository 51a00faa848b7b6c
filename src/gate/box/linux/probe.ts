/** Probes the reading box: runs a command in it that tries what must not work. What was found is kept until the next boot. */

import { join } from 'node:path';
import * as z from 'zod';
import type { Host } from '../../../host/host.js';
import type { Result } from '../../../protocol/result.js';
import { explainStart } from '../../confine/explain-start.js';
import { removeTree } from '../../confine/remove-tree.js';
import type { OpenedBox } from '../opened-box.js';
import type { Surroundings } from './surroundings.js';

/** `found`: a description of what was tried. */
export type Probe = Result<{ readonly found: string }>;

/** Another number for another probe. */
const VERSION = 2;
const KEPT_FILE = 'probe.json';
const keptSchema = z.object({ key: z.string(), found: z.string() });

type Tried = Pick<OpenedBox, 'preparer' | 'assemble'>;

/** Only a success is kept: what is missing may be enabled at any time. */
export async function probeOnce(host: Host, around: Surroundings, tried: Tried): Promise<Probe> {
  const file = join(around.state, KEPT_FILE);
  const key = await machineKey(host, around);
  const kept = await readKept(host, file);
  if (kept?.key === key) return { ok: true, found: kept.found };
  const probe = await probeBox(host, around, tried);
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

async function probeBox(host: Host, around: Surroundings, tried: Tried): Promise<Probe> {
  const base = join(around.state, `probe-${host.newId()}`);
  const root = join(base, 'root');
  const secret = join(base, 'secret');
  await host.files.makeFolder(root, 0o700);
  try {
    await host.files.create(secret, 'secret');
    const pipe = join(root, 'pipe');
    const made = await host.processes.run({ file: 'mkfifo', args: [pipe], cwd: root, env: host.env, timeoutMs: 5_000 });
    if (made.code !== 0) return { ok: false, reason: 'it can’t be tested: mkfifo is missing' };
    return await runProbe(host, around, tried, { root, secret, pipe });
  } finally {
    await removeTree(host, base);
  }
}

type Scene = { readonly root: string; readonly secret: string; readonly pipe: string };

async function runProbe(
  host: Host,
  { bubblewrap }: Surroundings,
  { preparer, assemble }: Tried,
  { root, secret, pipe }: Scene,
): Promise<Probe> {
  const fail = (what: string): Probe => ({ ok: false, reason: `bubblewrap ${bubblewrap.version} ${what}` });
  const prepared = await preparer.prepare({ roots: [root], readRoots: [], denied: [] });
  if (!prepared.ok) return fail(`could not be tried: ${prepared.reason}`);
  const node = await host.files.readLink('/proc/self/exe');
  const env = { ...host.env, COPPICE_PROBE_KEY: 'key' };
  const script = { file: 'bash', args: ['-c', SCRIPT, 'probe', root, secret, pipe, node], cwd: root, env };
  const assembled = assemble(script, prepared.box, [node]);
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
  const found = 'a command ran; writing, the network, a socket, a pipe, the home and other processes were refused';
  return { ok: true, found: `bubblewrap ${bubblewrap.version}: ${found}` };
}

const FORBIDDEN = {
  wrote: 'write to a folder it may only read',
  kernel: "change the kernel's settings",
  connected: 'use the network',
  pipe: 'write to a pipe',
  secret: 'see the home folder',
  key: 'see a variable that may hold a key',
  process: 'see other processes',
};

/** The address is reserved for documentation: no machine has it. */
const SCRIPT = `
echo ran=yes
try() { local name=$1; shift; if ("$@") 2>/dev/null; then echo "$name=yes"; else echo "$name=no"; fi; }
put() { : > "$1"; }
append() { exec 3>>"$1"; }
open() { exec 3<>"$1"; }
connect() { exec 3<>/dev/tcp/192.0.2.1/9; }
exists() { [ -e "$1" ]; }
keyed() { [ -n "$COPPICE_PROBE_KEY" ]; }
crowded() { set -- /proc/[0-9]*; [ $# -gt 5 ]; }
try temporary put "$TMPDIR/written"
try wrote put "$1/written"
try kernel append /proc/sys/kernel/core_pattern
try connected connect
try pipe open "$3"
try secret exists "$2"
try key keyed
try process crowded
while read -r name value; do case $name in CapEff:) echo "capabilities=$value";; esac; done < /proc/self/status
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
