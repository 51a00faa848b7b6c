/** Copying with the programs of a machine. */

import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { copyWith, findCopyTool } from '../../../src/front/commands/conversation/clipboard.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { scratchFolder } from '../../support/scratch.js';

/** A machine on whose path there are only these programs. */
async function machine(programs: Readonly<Record<string, string>>, env: Readonly<Record<string, string>>) {
  const folder = await scratchFolder();
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, name), 0o755);
  }
  const host = nodeHost(folder, { PATH: folder, ...env });
  return { ...host, platform: { ...host.platform, os: 'linux' } };
}

const STAYS = 'shift; exec "$@"';

it('TU-19: a text goes to the tool of the desktop, cleaned; the tool may stay and hand it out', async () => {
  const host = await machine({ setsid: STAYS, 'wl-copy': 'exec /bin/cat > copied' }, { WAYLAND_DISPLAY: 'w' });
  const tool = await findCopyTool(host);
  expect(tool).toEqual({ file: 'wl-copy', args: [], stays: true });
  expect(tool && (await copyWith(host, tool, 'one\ntwo \u001b[31mred'))).toBe(undefined);
  expect(await readFile(join(host.folder, 'copied'), 'utf8')).toBe('one\ntwo red');
});

it('TU-19: without a desktop there is no tool, and one that fails says so', async () => {
  expect(await findCopyTool(await machine({ 'wl-copy': 'exit 0' }, {}))).toBe(undefined);
  const host = await machine({ setsid: STAYS, xclip: 'echo broken >&2; exit 3' }, { DISPLAY: ':0' });
  const tool = await findCopyTool(host);
  expect(tool && (await copyWith(host, tool, 'text'))).toBe('xclip: broken');
});
