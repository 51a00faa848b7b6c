/** A machine on which a test decides, record by record, when a transcript is written to, and whether that works. */

import type { Host } from '../../../src/host/host.js';

/** Awaited before each record is written; what it throws is how the write fails. */
export type BeforeWrite = (record: string, path: string) => Promise<void>;

export function heldHost(host: Host, before: BeforeWrite): Host {
  const openAppend: Host['files']['openAppend'] = async (path) => {
    const handle = await host.files.openAppend(path);
    return {
      ...handle,
      write: async (bytes) => {
        await before(Buffer.from(bytes).toString('utf8'), path);
        return handle.write(bytes);
      },
    };
  };
  return { ...host, files: { ...host.files, openAppend }, at: (folder) => heldHost(host.at(folder), before) };
}

export function diskFull(): Error {
  return Object.assign(new Error('ENOSPC: made up'), { code: 'ENOSPC' });
}
