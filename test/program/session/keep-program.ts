/** Makes the checkpoint of a transcript over and over, with a line for each, until it is killed. `node program.mjs <transcript> <checkpoint> <seq> …` */

import { nodeHost } from '../../../src/host/node-host.js';
import { CheckpointWriter } from '../../../src/session/checkpoint/checkpoint-writer.js';

const [, , transcript = '', path = '', ...seqs] = process.argv;
const place = { path, version: '1' };
for (let n = 0; ; n += 1) {
  const keeper = new CheckpointWriter({ host: nodeHost('/'), transcript, place, worthBytes: 0 });
  keeper.compacted(Number(seqs[n % seqs.length]));
  await new Promise((resolve) => setImmediate(resolve));
  await keeper.idle();
  process.stdout.write('kept\n');
}
