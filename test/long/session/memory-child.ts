/** A process for the memory test: makes a long transcript, or resumes one and reports the memory it took. */

import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { nodeHost } from '../../../src/host/node-host.js';
import { text } from '../../../src/protocol/blocks.js';
import { freezeBlock } from '../../../src/protocol/frozen-block.js';
import { repairHistory } from '../../../src/session/repair/repair-history.js';
import { readState } from '../../../src/session/state/read-state.js';
import { encodeRecord } from '../../../src/session/transcript/record.js';
import { admitted, call, epoch, finished, joined, replied, started, turn } from '../../unit/session/sample-events.js';

const [, , mode = '', path = '', megabytes = '60'] = process.argv;

if (mode === 'make') make(path, Number(megabytes) * 1024 * 1024);
else await resume(path);

/** Turns with a call whose result is of 50 KB; compacted whenever the view would be larger than 5 MB. */
function make(to: string, size: number): void {
  const file = openSync(to, 'w');
  let seq = 0;
  let bytes = 0;
  let view = 0;
  const write = (event: Parameters<typeof encodeRecord>[1]) => {
    const parent = seq === 0 ? null : `u${seq}`;
    seq += 1;
    const line = encodeRecord({ v: 1, seq, uuid: `u${seq}`, parent, ts: '2026-01-01T00:00:00.000Z' }, event);
    bytes += writeSync(file, line);
    view += line.length;
    return seq;
  };
  write(started());
  write(joined(write(admitted('go'))));
  write(epoch());
  for (let n = 0; bytes < size; n += 1) {
    if (view > 4.5 * 1024 * 1024) {
      write({ kind: 'history-compacted', trigger: 'auto', messages: 9, blocks: [freezeBlock(text('so far'))] });
      view = 0;
    }
    write(turn(n));
    write(replied([call(`c${n}`, { command: `echo ${n}` })], 'tool_use'));
    write(joined(write(finished(`c${n}`, `${n} ${'lorem ipsum "dolor" \n'.repeat(2_300)}`))));
  }
  closeSync(file);
}

async function resume(from: string): Promise<void> {
  const began = performance.now();
  const read = await readState(nodeHost('/').files, from);
  if (read.kind !== 'read') throw new Error(read.kind);
  const repaired = repairHistory(read.state);
  const live = repaired.messages
    .flatMap((message) => message.blocks)
    .reduce((sum, block) => sum + block.bytes.length, 0);
  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) / 1024;
  process.stdout.write(
    `${JSON.stringify({
      records: read.records,
      damaged: read.damage.lines,
      liveMegabytes: live / 1024 / 1024,
      peakMegabytes: Math.max(peak, process.resourceUsage().maxRSS / 1024),
      seconds: (performance.now() - began) / 1000,
    })}\n`,
  );
}
