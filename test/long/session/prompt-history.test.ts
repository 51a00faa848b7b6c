import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nodeHost } from '../../../src/host/node-host.js';
import { PromptHistory } from '../../../src/session/store/prompt-history.js';
import { scratchFolder } from '../../support/scratch.js';

const host = nodeHost('/');

it('TU-18: it stays bounded, and retains the newest', async () => {
  const folder = join(await scratchFolder(), 'p');
  const line = (n: number) => `${JSON.stringify({ at: n, text: `${n} ${'x'.repeat(1000)}` })}\n`;
  await writeFile(`${folder}.history`, Array.from({ length: 5_000 }, (_, n) => line(n)).join(''));
  const history = new PromptHistory(host, folder, 's');
  await history.add('newest');
  expect((await stat(`${folder}.history`)).size).toBeLessThan(2.5 * 1024 * 1024);
  const entries = await history.entries();
  expect(entries.at(-1)).toBe('newest');
  expect(entries.at(-2)).toMatch(/^4999 /);
});
