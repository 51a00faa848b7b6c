/** Loaded before the program: no transcript takes a byte while the file named by FULL_DISK exists. */

import fs, { existsSync, promises } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { open } = promises;
const { writeSync } = fs;
const transcripts = new Set();
const isFull = () => existsSync(process.env.FULL_DISK);
const noSpace = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

promises.open = async (path, ...more) => {
  const handle = await open(path, ...more);
  if (!String(path).endsWith('.jsonl')) {
    transcripts.delete(handle.fd);
    return handle;
  }
  transcripts.add(handle.fd);
  const write = handle.write.bind(handle);
  handle.write = (...args) => (isFull() ? Promise.reject(noSpace()) : write(...args));
  return handle;
};

// Small records are written at once.
fs.writeSync = (file, ...more) => {
  if (transcripts.has(file) && isFull()) throw noSpace();
  return writeSync(file, ...more);
};
syncBuiltinESMExports();
