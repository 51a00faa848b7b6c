import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readImage } from '../../../../../src/front/tui/input/clipboard.js';
import { nodeHost } from '../../../../../src/host/node-host.js';
import { scratchFolder } from '../../../../support/scratch.js';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A machine that has only these programs on its path. */
async function machine(programs: Readonly<Record<string, string>>, env: Readonly<Record<string, string>>) {
  const [folder, bin] = [await scratchFolder(), await scratchFolder()];
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  }
  await writeFile(join(folder, 'image.png'), PNG);
  const host = nodeHost(folder, { PATH: bin, ...env });
  return { ...host, platform: { ...host.platform, os: 'linux' } };
}

const IMAGE = { media_type: 'image/png', data: PNG.toString('base64') };

describe('an image in the clipboard', () => {
  it('is read with the desktop’s tool', async () => {
    const script = 'case "$*" in *image/png*) exec /bin/cat image.png;; *) exit 1;; esac';
    expect(await readImage(await machine({ 'wl-paste': script }, { WAYLAND_DISPLAY: 'w' }))).toEqual(IMAGE);
    expect(await readImage(await machine({ xclip: script }, { WAYLAND_DISPLAY: 'w', DISPLAY: ':0' }))).toEqual(IMAGE);
  });

  it('is read on macOS with either tool, and on Windows', async () => {
    const hex = `printf '%s' '«data PNGf${PNG.toString('hex').toUpperCase()}»'`;
    const mac = await machine({ osascript: hex }, {});
    expect(await readImage({ ...mac, platform: { ...mac.platform, os: 'darwin' } })).toEqual(IMAGE);
    const base64 = `echo ${PNG.toString('base64')}`;
    expect(await readImage(await machine({ 'powershell.exe': base64 }, { WSL_DISTRO_NAME: 'x' }))).toEqual(IMAGE);
  });

  it('TU-19: without an image or a tool, the message explains what to do', async () => {
    const text = await machine({ xclip: 'echo text' }, { DISPLAY: ':0' });
    expect(await readImage(text)).toBe('the clipboard has no image');
    expect(await readImage(await machine({}, { DISPLAY: ':0' }))).toBe(
      'reading the clipboard requires xclip; mention a file instead: @path',
    );
    expect(await readImage(await machine({}, {}))).toBe('no clipboard here; mention a file instead: @path');
    expect(await readImage(await machine({}, { SSH_CONNECTION: '1' }))).toBe(
      "your clipboard can't be read over SSH; mention a file instead: @path",
    );
  });
});
