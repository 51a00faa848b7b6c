/** DU-9: whatever keeps a session from being resumed, its lock is free again: the next try is not refused for it. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { SessionOptions } from '../../../src/engine/session-options.js';
import { openSession } from '../../../src/front/sdk/open-session.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { type Stage, setStage } from '../../support/story.js';
import { openFilesBelow } from './open-files.js';

const asRoot = ({ folder, env }: Stage) => {
  const host = nodeHost(folder, { ...env, COPPICE_ALLOW_ROOT_BYPASS: undefined });
  return { ...host, platform: { ...host.platform, isRoot: true }, at: () => asRoot({ folder, env } as Stage) };
};

type Row = { readonly options: (stage: Stage) => SessionOptions; readonly settings?: object; readonly reason: RegExp };

const ROWS: Record<string, Row> = {
  '--max-usd with a model without a price': { options: () => ({ maxUsd: 1 }), reason: /has none/ },
  'an agent that is not there': { options: () => ({ agent: 'nobody' }), reason: /nobody/ },
  'a folder to add that is not there': { options: () => ({ addDirs: ['/no/such/folder'] }), reason: /no such folder/ },
  'no key': {
    options: ({ env }) => ({ env: { ...env, ANTHROPIC_API_KEY: undefined } }),
    reason: /No API key/,
  },
  'bypassPermissions turned off by the settings': {
    options: () => ({
      permissionMode: 'bypassPermissions',
      settings: '{"permissions":{"disableBypassPermissionsMode":"disable"}}',
    }),
    reason: /turned off/,
  },
  'bypassPermissions as root': {
    options: (stage) => ({ permissionMode: 'bypassPermissions', host: asRoot(stage), env: undefined as never }),
    reason: /as root/,
  },
  'a prompt to rewind to that is not there': {
    options: () => ({ rewind: { to: 99, part: 'both' } }),
    reason: /prompt/,
  },
};

const CASES = Object.entries(ROWS).flatMap(([name, row]) =>
  (['off', 'auto'] as const).map((sandbox) => [name, sandbox, row] as const),
);

it.each(CASES)('DU-9: %s (sandbox %s) gives lock and sandbox back', async (_name, sandbox, { options, reason }) => {
  const stage = await setStage([{ reply: 'hello' }]);
  await stage.settings({ sandbox });
  const first = await stage.open({ model: 'my-own-model' });
  await first.send('x');
  await first.close();

  const common = { cwd: stage.folder, env: stage.env, resume: first.id };
  const refused = await openSession({ ...common, ...options(stage) });
  expect(refused).toMatchObject({ ok: false, reason: expect.stringMatching(reason) });
  expect(openFilesBelow(stage.home)).toEqual([]);
  expect(await locks(stage)).toEqual([]);
  expect(await leftovers(stage)).toEqual([]);

  const again = await stage.open({ resume: first.id });
  expect(await again.send('y')).toMatchObject({ reason: 'completed' });
});

async function locks({ home }: Stage): Promise<string[]> {
  const names = await readdir(join(home, '.coppice', 'projects'), { recursive: true });
  return names.filter((name) => name.endsWith('.lock'));
}

/** What a sandbox keeps on disk while it is open. */
async function leftovers({ home, folder }: Stage): Promise<string[]> {
  const kept = await readdir(join(home, '.coppice', 'sandbox')).catch(() => []);
  return [...kept, ...(await readdir(folder))];
}
