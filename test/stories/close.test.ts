/** What is opened is closed: when a session has been left, nothing of it is under way any more. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { realClock } from '../../src/host/clock.js';
import type { Host } from '../../src/host/host.js';
import { nodeHost } from '../../src/host/node-host.js';
import { gate } from '../support/gate.js';
import { wrapFiles } from '../support/hosts/wrap-files.js';
import { setStage } from '../support/story.js';
import { turns } from '../support/until.js';

/** Long enough for a session that does not wait to be left; one that waits, waits so long. */
const LATE_MS = 2_000;

it('the deletion of old sessions ends before close does', async () => {
  const stage = await setStage([{ reply: 'hello' }]);
  await rm(join(stage.home, '.coppice', 'cleaned-up'));
  let isLeft = false;
  const left = gate();
  const late: string[] = [];
  const real = nodeHost(stage.folder, stage.env);
  const files = wrapFiles(real.files, (call) => {
    if (isLeft) late.push(new Error('after close').stack ?? '');
    return call();
  });
  const slow: Host['files'] = {
    ...files,
    replace: async (path, content, mode) => {
      await files.replace(path, content, mode);
      if (path.endsWith('cleaned-up')) await Promise.race([left.opened, realClock.sleep(LATE_MS)]);
    },
  };
  const host = (at: Host): Host => ({ ...at, files: slow, at: (folder) => host(at.at(folder)) });
  const session = await stage.open({ host: host(real) });
  await session.send('hi');
  await session.close();
  isLeft = true;
  left.open();
  // What was held goes on at once.
  await turns(20);
  expect(late).toEqual([]);
});
