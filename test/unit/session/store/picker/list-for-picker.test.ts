import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Files } from '../../../../../src/host/files.js';
import type { Host } from '../../../../../src/host/host.js';
import { nodeHost } from '../../../../../src/host/node-host.js';
import { saveIndex } from '../../../../../src/session/store/picker/details-index.js';
import { listForPicker, type PickerSession } from '../../../../../src/session/store/picker/list-for-picker.js';
import { scratchFolder } from '../../../../support/scratch.js';
import { admitted, linesOf, started } from '../../sample-events.js';

const real = nodeHost('/');

/** Counts opened and read files. */
function counting(): { readonly host: Host; opened: string[] } {
  const opened: string[] = [];
  const openRead: Files['openRead'] = (path) => {
    opened.push(path);
    return real.files.openRead(path);
  };
  const holdFolder: Files['holdFolder'] = async (path) => {
    const folder = await real.files.holdFolder(path);
    const noted = (name: string) => {
      opened.push(join(path, name));
      return folder.openRead(name);
    };
    return new Proxy(folder, {
      get: (target, key) => {
        if (key === 'openRead') return noted;
        const value: unknown = Reflect.get(target, key);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
  return { host: { ...real, files: { ...real.files, openRead, holdFolder } }, opened };
}

function writeSessions(home: string, project: string, count: number, from = 0): void {
  const folder = join(home, 'projects', project);
  mkdirSync(folder, { recursive: true });
  for (let n = from; n < from + count; n += 1) {
    const path = join(folder, `s${n}.jsonl`);
    writeFileSync(path, Buffer.concat(linesOf([started(`s${n}`), admitted(`first ${n}`), admitted(`last ${n}`)])));
    utimesSync(path, 1_750_000_000 + n, 1_750_000_000 + n);
  }
}

async function completed(host: Host, home: string, project?: string) {
  const list = await listForPicker(host, { home, ...(project === undefined ? {} : { project }) });
  const taken: PickerSession[] = [];
  await list.complete((session) => taken.push(session));
  return { list, taken };
}

it('TU-25: 10,000 sessions are listed without opening one, and once they are known with all there is to filter by', async () => {
  const home = await scratchFolder();
  writeSessions(home, 'p', 10_000);
  const cold = counting();
  const first = await listForPicker(cold.host, { home, project: 'p' });
  expect(first.sessions).toHaveLength(10_000);
  expect(first.sessions.slice(0, 2).map(({ id }) => id)).toEqual(['s9999', 's9998']);
  expect(cold.opened).toEqual([]);
  // As `complete` keeps it; to read them all would take long.
  const details = { cwd: '/project', prompt: 'known', interrupted: 0, isEmpty: false };
  const known = first.sessions.map(({ id, path }) => {
    const { mtimeMs, size } = real.files.sync.lstat(path) ?? { mtimeMs: 0, size: 0 };
    return [id, { stamp: { mtimeMs, size }, details }] as const;
  });
  await saveIndex(real, home, 'p', new Map(known));
  const warm = counting();
  const second = await listForPicker(warm.host, { home, project: 'p' });
  expect(warm.opened).toEqual([join(home, 'projects', 'p.index')]);
  expect(second.sessions).toHaveLength(10_000);
  expect(second.sessions.every(({ details }) => details !== undefined)).toBe(true);
  expect(second.sessions[7]).toMatchObject({ id: 's9992', details });
}, 60_000);

it('TU-25: changed and new sessions are read again; open ones each time; deleted ones are forgotten', async () => {
  const home = await scratchFolder();
  writeSessions(home, 'p', 5);
  expect((await completed(real, home, 'p')).taken.map(({ id }) => id).sort()).toEqual(['s0', 's1', 's2', 's3', 's4']);
  expect((await completed(real, home, 'p')).taken).toEqual([]);
  writeSessions(home, 'p', 1, 5);
  // As long as it was.
  const changed = join(home, 'projects', 'p', 's1.jsonl');
  await writeFile(changed, Buffer.concat(linesOf([started('s1'), admitted('first 1'), admitted('LAST 1')])));
  await writeFile(join(home, 'projects', 'p', 's2.lock'), 'x');
  await rm(join(home, 'projects', 'p', 's0.jsonl'));
  const { list, taken } = await completed(real, home, 'p');
  expect(list.sessions).toHaveLength(5);
  expect(taken.map(({ id, details }) => [id, details?.prompt]).sort()).toEqual([
    ['s1', 'LAST 1'],
    ['s2', 'last 2'],
    ['s5', 'last 5'],
  ]);
  expect((await completed(real, home, 'p')).taken.map(({ id }) => id)).toEqual(['s2']);
});

it('TU-25: this folder or all; a damaged one is listed with the reason, and a damaged index is ignored', async () => {
  const home = await scratchFolder();
  writeSessions(home, 'p', 2);
  writeSessions(home, 'q', 2, 2);
  await writeFile(join(home, 'projects', 'q', 'bad.jsonl'), 'nonsense\n');
  await writeFile(join(home, 'projects', 'p.index'), 'x\n[1,"s0",1]\n');
  expect((await completed(real, home, 'p')).list.sessions.map(({ id }) => id)).toEqual(['s1', 's0']);
  const { list, taken } = await completed(real, home);
  expect(list.sessions.map(({ id }) => id)).toEqual(['bad', 's3', 's2', 's1', 's0']);
  expect(taken.find(({ id }) => id === 'bad')?.details?.damaged).toBeDefined();
});

it('TU-25: reading stops when the list is left, and saves what was read', async () => {
  const home = await scratchFolder();
  writeSessions(home, 'p', 100);
  const left = new AbortController();
  const list = await listForPicker(real, { home, project: 'p' });
  let taken = 0;
  await list.complete(() => {
    taken += 1;
    if (taken === 10) left.abort();
  }, left.signal);
  expect(taken).toBeLessThan(30);
  const again = await listForPicker(real, { home, project: 'p' });
  expect(again.sessions.filter(({ details }) => details !== undefined)).toHaveLength(taken);
});
