/** Loaded before the program: no transcript takes a byte while the file named by FULL_DISK exists. */

import { existsSync, promises } from 'node:fs';

const { open } = promises;
promises.open = async (path, ...more) => {
  const handle = await open(path, ...more);
  const write = handle.write.bind(handle);
  handle.write = (...args) => {
    if (!String(path).endsWith('.jsonl') || !existsSync(process.env.FULL_DISK)) return write(...args);
    return Promise.reject(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }));
  };
  return handle;
};
