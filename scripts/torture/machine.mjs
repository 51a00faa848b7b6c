/**
 * Loaded into the tortured program before it starts (`node --import`): the machine fails at a chosen record. `TORTURE_FAULT`
 * is JSON: the record's `kind` and words it `has`, its `count`-th write in this process, and what happens then:
 * - `kill`: SIGKILL, when the record is written and not synced yet;
 * - `power`: the power goes a moment later: every byte that was not synced is lost, and so is what was renamed unsynced;
 * - `refuse`: that write fails, once, with ENOSPC.
 */

import fs, { promises, truncateSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const fault = JSON.parse(process.env.TORTURE_FAULT ?? 'null');
/** Files written by this process: how much of each survives a loss of power. By path, and by number while they are open. */
const files = new Map();
const open = new Map();
let count = 0;

if (fault !== null) {
  const { open: openFile, rename } = promises;
  const { writeSync } = fs;
  promises.open = async (path, ...more) => watch(await openFile(path, ...more), await truePath(path));
  // Small records are written without a promise.
  fs.writeSync = (fd, bytes, ...more) => {
    const facts = open.get(fd);
    if (facts === undefined) return writeSync(fd, bytes, ...more);
    const isDue = beforeWrite(facts, bytes);
    const written = writeSync(fd, bytes, ...more);
    afterWrite(facts, isDue);
    return written;
  };
  syncBuiltinESMExports();
  promises.rename = async (from, to) => {
    await rename(from, to);
    const moved = files.get(await truePath(from));
    if (moved === undefined) return;
    const path = await truePath(to);
    files.set(path, moved);
    if (fault.what === 'power' && moved.unsynced) schedulePowerLoss();
  };
}

/** The program may name a folder by its own open file. */
async function truePath(path) {
  const [, folder, name] = /^(\/(?:proc\/self|dev)\/fd\/\d+)\/(.+)$/.exec(String(path)) ?? [];
  return folder === undefined ? String(path) : `${await promises.readlink(folder)}/${name}`;
}

async function watch(handle, path) {
  const facts = { unsynced: false, survives: (await handle.stat()).size, isTranscript: path.endsWith('.jsonl') };
  files.set(path, facts);
  open.set(handle.fd, facts);
  const { write, writeFile, datasync, sync, truncate, close } = handle;
  handle.write = async (bytes, ...more) => {
    const isDue = beforeWrite(facts, bytes);
    const written = await write.call(handle, bytes, ...more);
    afterWrite(facts, isDue);
    return written;
  };
  handle.close = () => {
    open.delete(handle.fd);
    return close.call(handle);
  };
  handle.writeFile = async (...args) => {
    await writeFile.apply(handle, args);
    facts.unsynced = true;
  };
  const synced = (call) => async () => {
    await call.call(handle);
    facts.unsynced = false;
    facts.survives = (await handle.stat()).size;
  };
  handle.datasync = synced(datasync);
  handle.sync = synced(sync);
  handle.truncate = async (length) => {
    await truncate.call(handle, length);
    facts.survives = Math.min(facts.survives, length);
  };
  return handle;
}

/** True if this is the record at which the machine fails. */
function beforeWrite({ isTranscript }, bytes) {
  const isDue = isTranscript && isChosen(bytes);
  if (!isDue || fault.what !== 'refuse') return isDue;
  process.stderr.write('torture: a write was refused\n');
  throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
}

function afterWrite(facts, isDue) {
  facts.unsynced = true;
  if (isDue && fault.what === 'kill') process.kill(process.pid, 'SIGKILL');
  if (isDue && fault.what === 'power') schedulePowerLoss();
}

function isChosen(bytes) {
  const record = Buffer.from(bytes);
  if (!record.subarray(0, 400).includes(`"kind":"${fault.kind}"`)) return false;
  if (fault.has !== undefined && !record.includes(fault.has)) return false;
  count += 1;
  return count === fault.count;
}

let isScheduled = false;

function schedulePowerLoss() {
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(() => {
    for (const [path, { unsynced, survives }] of files) {
      try {
        if (unsynced) truncateSync(path, survives);
      } catch {
        // It was removed since.
      }
    }
    process.kill(process.pid, 'SIGKILL');
  }, fault.ms ?? 0);
}
