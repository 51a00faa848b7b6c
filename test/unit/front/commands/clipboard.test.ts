/** Copying with the programs of this machine. */

import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { copyWith, findCopyTool } from '../../../../src/front/commands/conversation/clipboard.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { scratchFolder } from '../../../support/scratch.js';
import { until } from '../../../support/until.js';

/** A machine with these programs first on its path. */
async function machine(programs: Readonly<Record<string, string>>, env: Readonly<Record<string, string>>) {
  const [folder, bin] = [await scratchFolder(), await scratchFolder()];
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  }
  const host = nodeHost(folder, { PATH: `${bin}:${process.env.PATH}`, ...env });
  return { ...host, platform: { ...host.platform, os: 'linux' as const } };
}

async function copy(host: Awaited<ReturnType<typeof machine>>, text: string): Promise<string | undefined> {
  const tool = await findCopyTool(host);
  return tool === undefined ? 'no tool' : copyWith(host, tool, text);
}

it('TU-19, TU-30: goes to the tool of the desktop, cleaned', async () => {
  const host = await machine({ 'wl-copy': 'exec cat > copied' }, { WAYLAND_DISPLAY: 'w' });
  expect(await copy(host, 'one\ntwo \u001b[31mred\u001b]52;c;eA==\u0007')).toBeUndefined();
  expect(await readFile(join(host.folder, 'copied'), 'utf8')).toBe('one\ntwo red');
});

it('TU-19: a tool that stays in the background to hand the text out is not ended with the copying', async () => {
  const xclip = 'cat > copied; (echo $$ > started; sleep 0.5; cp copied handed-out) & exit 0';
  const host = await machine({ xclip }, { DISPLAY: ':0' });
  expect(await copy(host, 'a text')).toBeUndefined();
  await until(async () => (await readFile(join(host.folder, 'handed-out'), 'utf8').catch(() => '')) === 'a text');
});

it('shows why it was not copied', async () => {
  const host = await machine({ xclip: 'echo no display >&2; exit 1' }, { DISPLAY: ':0' });
  expect(await copy(host, 'text')).toBe('xclip: no display');
});
