/** Loaded before the program: no transcript takes a byte while the file named by FULL_DISK exists. */

import fs, { existsSync, promises } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { open } = promises;
const { writeSync } = fs;
const transcripts = new Set();

function refuseIfFull() {
  if (!existsSync(process.env.FULL_DISK)) return;
  throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
}

promises.open = async (path, ...more) => {
  const handle = await open(path, ...more);
  if (!String(path).endsWith('.jsonl')) return handle;
  const { write, close } = handle;
  transcripts.add(handle.fd);
  handle.write = async (...args) => {
    refuseIfFull();
    return write.apply(handle, args);
  };
  handle.close = () => {
    transcripts.delete(handle.fd);
    return close.call(handle);
  };
  return handle;
};
fs.writeSync = (fd, ...args) => {
  if (transcripts.has(fd)) refuseIfFull();
  return writeSync(fd, ...args);
};
syncBuiltinESMExports();
