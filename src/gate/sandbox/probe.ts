/** Probes the sandbox once: runs a command in it and verifies that forbidden actions are refused. */

import { join } from 'node:path';
import type { Host } from '../../host/host.js';
import type { Result } from '../../protocol/result.js';
import { explainStart } from '../confine/explain-start.js';
import type { Bubblewrap } from '../confine/find-bubblewrap.js';
import { bubblewrapArguments } from './sandbox-arguments.js';

/** `found`: a description of what was tried. */
export type Probe = Result<{ readonly version: string; readonly found: string }>;

/** `folder` is empty, ours, and removed by the caller. */
export async function probeSandbox(host: Host, bubblewrap: Bubblewrap, folder: string): Promise<Probe> {
  const inside = join(folder, 'inside');
  const outside = join(folder, 'outside');
  await host.files.makeFolder(inside, 0o700);
  await host.files.makeFolder(outside, 0o700);
  const args = bubblewrapArguments(
    bubblewrap,
    {
      mounts: [
        { kind: 'hide-folder', path: folder },
        { kind: 'open', path: inside },
        { kind: 'show', path: outside },
      ],
      network: false,
      cwd: inside,
      mark: `coppice-probe-${host.newId()}`,
    },
    ['bash', '-c', SCRIPT, 'probe', outside],
  );
  const run = await host.processes.run({ file: bubblewrap.file, args, cwd: '/', env: host.env, timeoutMs: 10_000 });
  const said = new Map(
    run.stdout
      .toString('utf8')
      .split('\n')
      .map((line) => [line.split('=')[0] ?? '', line.slice(line.indexOf('=') + 1)] as const),
  );
  const fail = (what: string): Probe => ({ ok: false, reason: `bubblewrap ${bubblewrap.version} ${what}` });
  if (said.get('ran') !== 'yes' || !(await exists(host, join(inside, 'written')))) {
    return fail(`could not run a command: ${await explainStart(host, run.stderr.toString('utf8'), run.timedOut)}`);
  }
  const escaped = (await host.files.list(outside)).length > 0;
  if (escaped || said.get('wrote') !== 'no') return fail('let a command write to a forbidden path');
  if (said.get('remounted') !== 'no' || !/^0+$/.test(said.get('capabilities') ?? '')) {
    return fail('left a command capabilities to remount read-only paths as writable');
  }
  if (said.get('kernel') !== 'no') return fail("let a command change the kernel's settings");
  if (said.get('connected') !== 'no' || (await sameNetwork(host, said.get('network')))) {
    return fail('let a command use the network');
  }
  const found = 'a command ran; a forbidden write, a remount and a connection were refused';
  return { ok: true, version: bubblewrap.version, found };
}

/** The address is reserved for documentation: no machine has it. Without a network the attempt fails at once. */
const SCRIPT = `
echo ran=yes
: > written
try() { local name=$1; shift; if ("$@") 2>/dev/null; then echo "$name=yes"; else echo "$name=no"; fi; }
put() { : > "$1"; }
append() { exec 3>>"$1"; }
connect() { exec 3<>/dev/tcp/192.0.2.1/9; }
try wrote put "$1/before"
try remounted mount -o remount,bind,rw "$1"
try wrote put "$1/after"
try kernel append /proc/sys/kernel/core_pattern
try connected connect
while read -r name value; do case $name in CapEff:) echo "capabilities=$value";; esac; done < /proc/self/status
echo "network=$(readlink /proc/self/ns/net)"
`;

async function sameNetwork(host: Host, inside: string | undefined): Promise<boolean> {
  if (inside === undefined || inside === '') return true;
  return (await host.files.readLink('/proc/self/ns/net')) === inside;
}

async function exists(host: Host, path: string): Promise<boolean> {
  return (await host.files.lstat(path)) !== undefined;
}
