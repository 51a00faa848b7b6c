import { join } from 'node:path';
import type { Host } from '../../../../src/host/host.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { readTranscript } from '../../../../src/session/transcript/read-transcript.js';
import { raiseFence, Transcript } from '../../../../src/session/transcript/transcript.js';
import { scratchFolder } from '../../../support/scratch.js';
import { testAppendPort } from './append-port.js';

const real = nodeHost('/');

/** The real machine, with files that take half of a record while `state` is set. */
function failing(state: { fails: boolean }): Host {
  const openAppend: Host['files']['openAppend'] = async (path) => {
    const handle = await real.files.openAppend(path);
    return {
      ...handle,
      write: async (bytes) => {
        if (!state.fails) return handle.write(bytes);
        await handle.write(bytes.subarray(0, bytes.length / 2));
        throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      },
    };
  };
  return { ...real, files: { ...real.files, openAppend } };
}

testAppendPort('a transcript', async (fences) => {
  const path = join(await scratchFolder(), 's.jsonl');
  const state = { fails: false };
  let last: Transcript | undefined;
  return {
    open: async () => {
      const options = last === undefined ? {} : { end: last.end };
      last = await Transcript.open({
        host: failing(state),
        path,
        ...options,
        fence: raiseFence(fences, path),
        onSuspect: () => {},
      });
      return last;
    },
    records: async () => {
      const records = [];
      for await (const item of readTranscript(real.files, path)) {
        if (item.kind !== 'record' || !('event' in item.record)) throw new Error(`the log holds ${item.kind}`);
        records.push({ seq: item.record.seq, event: item.record.event });
      }
      return records;
    },
    fail: (on) => {
      state.fails = on;
    },
  };
});
