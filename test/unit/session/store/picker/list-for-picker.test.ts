import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Host } from '../../../../../src/host/host.js';
import { listForPicker, type PickerSession } from '../../../../../src/session/store/picker/list-for-picker.js';
import { scratchFolder } from '../../../../support/scratch.js';
import { admitted, linesOf, started } from '../../sample-events.js';
import { real, writeSessions } from './list-for-picker-stage.js';

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

async function completed(host: Host, home: string, project?: string) {
  const list = await listForPicker(host, { home, ...(project === undefined ? {} : { project }) });
  const taken: PickerSession[] = [];
  await list.complete((session) => taken.push(session));
  return { list, taken };
}
