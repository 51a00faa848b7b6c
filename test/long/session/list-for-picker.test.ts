import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Files } from '../../../src/host/files.js';
import type { Host } from '../../../src/host/host.js';
import { saveIndex } from '../../../src/session/store/picker/details-index.js';
import { listForPicker } from '../../../src/session/store/picker/list-for-picker.js';
import { scratchFolder } from '../../support/scratch.js';
import { real, writeSessions } from '../../unit/session/store/picker/list-for-picker-stage.js';

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
});

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
