/**
 * A process for the tests of snapshots. `act`: does one thing, and kills itself at one of its effects. `write`: writes as
 * an agent does, one file after another. `update`: takes, publishes, merges and goes back, again and again.
 */

import { once } from 'node:events';
import { findMemory } from '../../../../src/context/memory/find-memory.js';
import { withMemoryLock } from '../../../../src/context/memory/snapshots/memory-lock.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { type Act, act } from '../../../unit/context/memory/snapshots/acts.js';
import { stoppingHost } from '../../../unit/context/memory/snapshots/stopping-host.js';

const [, , action = '', root = '', what = '', number = '0', mask] = process.argv;
if (mask !== undefined) process.umask(Number.parseInt(mask, 8));
const host = nodeHost(root);
const found = await findMemory(host, { scope: 'local', type: 'notes', known: [], root });
if (!found.ok) throw new Error(found.reason);
const { place } = found;

// Several are to begin at once.
if (process.env.WAIT !== undefined) {
  process.stdout.write('ready\n');
  await once(process.stdin.resume(), 'end');
}

if (action === 'act') {
  const stopping = stoppingHost(host, { at: Number(number), how: 'stop' }, () => process.kill(process.pid, 'SIGKILL'));
  say(await act(stopping.host, place, what as Act));
}
if (action === 'write') {
  for (let count = 0; count < Number(number); count += 1) {
    const turn = await withMemoryLock(host, place, async () => {
      const around = await host.files.holdFolder(place.parent);
      const folder = await around.makeFolder(place.name, 0o700);
      // Those two belong together.
      await folder.replace('MEMORY.md', `${what} ${count}`);
      await folder.replace('pair.md', `${what} ${count}`);
      await folder.replace(`note-${what}-${count}.md`, `${what} ${count}`);
      await folder.close();
      await around.close();
    });
    if (!turn.ok) throw new Error(turn.reason);
    await letOthersIn();
  }
  say({ ok: true });
}
if (action === 'update') {
  const acts = what.split(',') as Act[];
  const reasons: string[] = [];
  for (let count = 0; count < Number(number); count += 1) {
    const done = await act(host, place, acts[count % acts.length] ?? 'take');
    if (!done.ok) reasons.push(done.reason);
    await letOthersIn();
  }
  say({ ok: true, reasons });
}

/** Who waits for the turn looks for it only now and then. */
function letOthersIn(): Promise<void> {
  return host.clock.sleep(60 * host.random());
}

function say(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
