/**
 * A throw-away tree to run lines in: a hostile repository as the root, a home, a folder outside, and canaries in all that
 * may not be read. Listeners note who connects. `changes` shows what is different since it was made.
 */

import {
  closeSync,
  constants,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRefs } from './limits.mjs';
import { plant, plantDrivers } from './plant.mjs';

/** `stored`: git has what rules deny in its objects. */
export async function makePlayground(stored) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'torture-gate-')));
  const [root, outside, home, etc, state, marks] = ['project', 'elsewhere', 'home', 'etc', 'state', 'marks'].map(
    (name) => join(top, name),
  );
  const worktree = join(root, '.claude', 'worktrees', 'w');
  mkdirSync(marks);
  const connections = [];
  const note = (name) => (socket) => {
    connections.push(name);
    socket.on('error', () => {});
    socket.destroy();
  };
  const tcp = createServer(note('tcp'));
  await new Promise((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  mkdirSync(state, { mode: 0o700 });
  const place = { top, root, outside, home, etc, state, marks, worktree, port: tcp.address().port };
  let unix;
  let fifo;
  let before;
  let refs;
  let isTrusted = false;
  let isLinked = false;
  const copy = join(root, 'docs', 'copy.md');
  const rebuild = async () => {
    isTrusted = false;
    isLinked = false;
    if (fifo !== undefined) closeSync(fifo);
    if (unix !== undefined) await new Promise((resolve) => unix.close(resolve));
    for (const folder of [root, outside, home, etc]) rmSync(folder, { recursive: true, force: true });
    plant(place, stored);
    unix = createServer(note('unix socket'));
    await new Promise((resolve) => unix.listen(join(root, 'socket'), resolve));
    // Open for both, so that nobody who opens it waits for the other end.
    fifo = openSync(join(root, 'fifo'), constants.O_RDWR | constants.O_NONBLOCK);
    before = snapshot(place);
    refs = readRefs(root);
  };
  await rebuild();
  return {
    ...place,
    /** Names of the listeners that were used, and what came through the FIFO; empties both. */
    takeUses: () => [...connections.splice(0), ...readFifo(fifo)],
    changes: () => compare(before, snapshot(place)),
    /** What the refs were when it was made. */
    refs: () => refs,
    /** What was planted and ran outside of any box; empties it. */
    takeMarks: () => {
      const names = readdirSync(marks);
      for (const name of names) rmSync(join(marks, name), { force: true });
      return names;
    },
    /** Gives a denied file a second name, or takes it. */
    setLinked: (linked) => {
      if (linked === isLinked) return;
      isLinked = linked;
      if (linked) linkSync(join(root, '.env'), copy);
      else rmSync(copy);
      before = snapshot(place);
    },
    /** Makes the root a repository that a user may trust, or one that nobody should. */
    setTrusted: (trusted) => {
      if (trusted === isTrusted) return;
      isTrusted = trusted;
      plantDrivers(root, join(root, 'evil.sh'), !trusted);
      before = snapshot(place);
    },
    rebuild,
    remove: async () => {
      closeSync(fifo);
      await new Promise((resolve) => unix.close(resolve));
      await new Promise((resolve) => tcp.close(resolve));
      rmSync(top, { recursive: true, force: true });
    },
  };
}

function readFifo(fifo) {
  const buffer = Buffer.alloc(64);
  try {
    const length = readSync(fifo, buffer);
    return length > 0 ? [`FIFO written: ${buffer.toString('utf8', 0, length)}`] : [];
  } catch {
    return [];
  }
}

/** Every entry with what would change if it was touched. */
function snapshot({ root, outside, home, etc }) {
  const found = new Map();
  const walk = (path) => {
    const stats = lstatSync(path, { bigint: true });
    const link = stats.isSymbolicLink() ? readlinkSync(path) : '';
    found.set(path, `${stats.mode} ${stats.ino} ${stats.size} ${stats.isDirectory() ? '' : stats.mtimeNs} ${link}`);
    if (stats.isDirectory()) for (const name of readdirSync(path)) walk(join(path, name));
  };
  for (const folder of [root, outside, home, etc]) walk(folder);
  return found;
}

function compare(before, after) {
  const changes = [];
  for (const [path, state] of after) {
    if (!before.has(path)) changes.push(`made ${path}`);
    else if (before.get(path) !== state) changes.push(`changed ${path}`);
  }
  for (const path of before.keys()) if (!after.has(path)) changes.push(`removed ${path}`);
  return changes;
}
