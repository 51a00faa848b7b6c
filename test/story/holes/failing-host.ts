/** A machine on which writing to some files goes wrong, while a test says so. */

import type { AppendHandle } from '../../../src/host/files.js';
import type { Host } from '../../../src/host/host.js';

export type AppendFaults = {
  /** Whether this file can't be opened now. */
  readonly open?: (path: string) => boolean;
  /** Whether this record can't be written now. */
  readonly write?: (path: string, record: string) => boolean;
  readonly sync?: (path: string) => boolean;
};

export function failingHost(host: Host, faults: AppendFaults): Host {
  const openAppend = async (path: string): Promise<AppendHandle> => {
    if (faults.open?.(path)) fail('EACCES');
    const handle = await host.files.openAppend(path);
    return {
      ...handle,
      write: async (bytes) => {
        if (faults.write?.(path, Buffer.from(bytes).toString('utf8'))) fail('ENOSPC');
        return handle.write(bytes);
      },
      sync: async () => {
        if (faults.sync?.(path)) fail('EIO');
        return handle.sync();
      },
    };
  };
  return {
    ...host,
    files: { ...host.files, openAppend },
    at: (folder) => failingHost(host.at(folder), faults),
  };
}

function fail(code: string): never {
  throw Object.assign(new Error(`${code}: made up`), { code });
}
