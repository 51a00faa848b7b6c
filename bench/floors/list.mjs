/** The floor for listing sessions. `node list.mjs <folder>` reads the first 16 and the last 64 KB of every transcript. */

import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const [, , folder] = process.argv;
const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
let bytes = 0;
let next = 0;
await Promise.all(
  Array.from({ length: 16 }, async () => {
    for (let name = names[next++]; name !== undefined; name = names[next++]) {
      const handle = await open(join(folder, name));
      const { size } = await handle.stat();
      const head = await handle.read(Buffer.alloc(16 * 1024), 0, 16 * 1024, 0);
      const tail = await handle.read(Buffer.alloc(64 * 1024), 0, 64 * 1024, Math.max(0, size - 64 * 1024));
      bytes += head.bytesRead + tail.bytesRead;
      await handle.close();
    }
  }),
);
console.log(names.length, bytes);
