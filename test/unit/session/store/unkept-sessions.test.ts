/** Sessions that are not saved: which leftovers are removed, and which are not. */

import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nodeHost } from '../../../../src/host/node-host.js';
import { openEphemeral, removeLeftEphemeral } from '../../../../src/session/store/ephemeral-sessions.js';
import { scratchFolder } from '../../../support/scratch.js';

async function setHome() {
  const home = await scratchFolder();
  return { home, host: nodeHost(home, process.env), unkept: join(home, 'unkept') };
}

/** As a process that was killed leaves it. */
async function leave({ home, host }: Awaited<ReturnType<typeof setHome>>, id: string): Promise<void> {
  const opened = await openEphemeral(host, home, id);
  if (!opened.ok) throw new Error(opened.reason);
  await mkdir(join(opened.home, 'projects', 'p'), { recursive: true });
  await writeFile(join(opened.home, 'projects', 'p', `${id}.jsonl`), 'secret words');
  const lock = `${opened.home}.lock`;
  await writeFile(lock, JSON.stringify({ ...JSON.parse(await readFile(lock, 'utf8')), pid: 2 ** 22 - 3 }));
}

it('CL-2: a link in its place is not followed: nothing there is removed, and no session is opened', async () => {
  const place = await setHome();
  const { home, host, unkept } = place;
  const precious = join(home, 'precious');
  await mkdir(join(precious, 'work'), { recursive: true });
  await writeFile(join(precious, 'work', 'file.txt'), 'mine');
  await symlink(precious, unkept);
  expect(await removeLeftEphemeral(host, home)).toBe(0);
  expect(await openEphemeral(host, home, 'one')).toMatchObject({
    ok: false,
    reason: expect.stringContaining('unkept'),
  });
  expect(await readdir(precious, { recursive: true })).toEqual(['work', join('work', 'file.txt')]);
});

it('CL-2: entries without a dead process’s lock stay, and do not prevent other removals', async () => {
  const place = await setHome();
  const { home, host, unkept } = place;
  await leave(place, 'left');
  await mkdir(join(unkept, 'a-folder'));
  await writeFile(join(unkept, 'a-folder', 'file.txt'), 'mine');
  await writeFile(join(unkept, 'a-file'), 'mine');
  await writeFile(join(unkept, 'broken.lock'), 'no lock');
  await mkdir(join(unkept, 'folder.lock'));
  const opened = await openEphemeral(host, home, 'at-work');
  expect(await removeLeftEphemeral(host, home)).toBe(1);
  const names = ['a-file', 'a-folder', 'at-work.lock', 'broken.lock', 'folder.lock'];
  expect((await readdir(unkept)).sort()).toEqual(names);
  expect(opened.ok && (await opened.remove())).toBeUndefined();
  expect((await readdir(unkept)).sort()).toEqual(names.filter((name) => name !== 'at-work.lock'));
});

it('CL-2: one that is about to be opened is not taken for one that was left', async () => {
  const { home, host, unkept } = await setHome();
  await mkdir(unkept);
  // The draft a process writes just before it has the lock.
  await writeFile(join(unkept, 'soon.lock.0123456789abcdef.tmp'), '{}');
  expect(await removeLeftEphemeral(host, home)).toBe(0);
  expect(await readdir(unkept)).toEqual(['soon.lock.0123456789abcdef.tmp']);
});

it('CL-2: the same id after a kill begins with nothing of the other', async () => {
  const place = await setHome();
  await leave(place, 'same');
  const opened = await openEphemeral(place.host, place.home, 'same');
  expect(opened).toMatchObject({ ok: true });
  expect(await readdir(place.unkept)).toEqual(['same.lock']);
  expect(opened.ok && (await opened.remove())).toBeUndefined();
  expect(await readdir(place.unkept)).toEqual([]);
});

it('CL-2: a folder of that name without a lock is not taken over', async () => {
  const { home, host, unkept } = await setHome();
  await mkdir(join(unkept, 'mine'), { recursive: true });
  expect(await openEphemeral(host, home, 'mine')).toMatchObject({
    ok: false,
    reason: expect.stringContaining('is there already'),
  });
  expect(await readdir(unkept)).toEqual(['mine']);
});

it('CL-5: without write access, it is reported', async () => {
  const { home, host, unkept } = await setHome();
  await writeFile(unkept, 'a file');
  expect(await openEphemeral(host, home, 'one')).toMatchObject({
    ok: false,
    reason: expect.stringContaining('is not a folder'),
  });
});
