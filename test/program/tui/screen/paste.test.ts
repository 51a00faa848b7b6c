/** Pasting: long texts, control characters, an image; never an answer (TU-15, TU-18, TU-19, TU-30). */

import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../../support/until.js';
import { setTerminalStage, type TerminalStage } from '../terminal-stage.js';

/** The text of the last prompt that the model received. */
function lastPrompt(stage: TerminalStage): string {
  return JSON.stringify(stage.sim.requests.at(-1)?.body.messages.at(-1) ?? '');
}

test('TU-18: a paste of 10,000 lines is one chip, and reaches the model whole', async () => {
  const stage = await setTerminalStage([{ reply: 'GOT IT' }]);
  const terminal = stage.open();
  await terminal.until('? keys');
  const lines = Array.from({ length: 10_000 }, (_, line) => `pasted line ${line + 1} of many`);
  terminal.type('look: ');
  terminal.paste(lines.join('\n'));
  await terminal.untilSeen(/> look: \[.*10,?000 lines.*\]/);
  expect(terminal.rows().join('\n')).not.toContain('pasted line');
  terminal.type(' and say');
  await terminal.untilSeen('] and say');
  terminal.press('enter');
  await terminal.until('GOT IT');
  const sent = lastPrompt(stage);
  expect(sent).toContain(JSON.stringify(`look: ${lines.join('\n')} and say`).slice(1, -1));
});

test('TU-18: undo removes a paste at once', async () => {
  const stage = await setTerminalStage([{ reply: 'GOT IT' }]);
  const terminal = stage.open();
  await terminal.until('? keys');
  terminal.type('before ');
  terminal.paste(Array.from({ length: 30 }, (_, line) => `row ${line}`).join('\n'));
  await terminal.untilSeen(/before \[.*30 lines.*\]/);
  terminal.press('ctrl+_');
  await terminal.until(() => terminal.rows().includes('> before '), 'the paste taken back');
});

test('TU-30: control characters in a paste reach neither the terminal nor an answer', async () => {
  const stage = await setTerminalStage([{ reply: 'GOT IT' }]);
  const terminal = stage.open();
  await terminal.until('? keys');
  const before = terminal.raw().length;
  terminal.paste('one\u001b[2Jtwo\u001b]52;c;ZXZpbA==\u0007three\u0000\u0003\u0004four\u001b[?1049hfive\u009b31msix');
  await terminal.untilSeen(/one.*six/);
  terminal.press('enter');
  await terminal.until('GOT IT');
  const written = terminal.raw().slice(before);
  for (const hostile of ['\u001b[2J', '\u001b]52', '\u001b[?1049h', '\u009b', '\u0000']) {
    expect(written).not.toContain(hostile);
  }
  terminal.press('ctrl+d');
  expect(await terminal.ended).toBe(0);
});

test('TU-15: a paste while a question is open never answers it', async () => {
  const stage = await setTerminalStage([
    { when: { result: { tool: 'Bash' } }, reply: 'IT RAN' },
    { when: { user: 'go' }, reply: [{ tool: 'Bash', input: { command: 'touch made-by-bash' } }] },
    { reply: 'MORE' },
  ]);
  const terminal = stage.open();
  await terminal.until('? keys');
  terminal.type('go\r');
  await terminal.untilSeen('touch made-by-bash');
  for (const text of ['1', 'y', '1\n', 'y\n\n', '2\n1\n\n']) terminal.paste(text);
  await terminal.untilSeen(/> 1y/);
  expect(stage.sim.requests).toHaveLength(1);
  expect(terminal.lines().join('\n')).not.toContain('IT RAN');
  await terminal.untilSeen('touch made-by-bash');
});

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Desktop programs, first in the path. */
async function desktop(stage: TerminalStage, programs: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(stage.home, 'bin');
  await mkdir(folder, { recursive: true });
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, name), 0o755);
  }
  return `${folder}:${process.env.PATH}`;
}

for (const [tool, display] of [
  ['wl-paste', { WAYLAND_DISPLAY: 'wayland-0' }],
  ['xclip', { DISPLAY: ':7' }],
] as const) {
  test(`TU-19: an image in the clipboard goes to the model with the prompt (${tool})`, async () => {
    const stage = await setTerminalStage([{ reply: 'A PICTURE' }]);
    const PATH = await desktop(stage, { [tool]: `echo ${PIXEL} | base64 -d` });
    const terminal = stage.open([], { env: { PATH, ...display } });
    await terminal.until('? keys');
    terminal.type('what is this: ');
    terminal.press('ctrl+v');
    await terminal.untilSeen(/what is this: \[.*mage.*\]/);
    terminal.press('enter');
    await terminal.until('A PICTURE');
    const content = stage.sim.requests[0]?.body.messages.at(-1)?.content ?? [];
    expect(content).toContainEqual(
      expect.objectContaining({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } }),
    );
  });
}

test('TU-19: without a clipboard the message suggests a path, also over SSH', async () => {
  const stage = await setTerminalStage([]);
  const terminal = stage.open();
  await terminal.until('? keys');
  terminal.press('ctrl+v');
  await terminal.untilSeen('no clipboard here; mention a file instead: @path');
  const remote = stage.open([], { env: { SSH_CONNECTION: '10.0.0.1 5 10.0.0.2 22' } });
  await remote.until('? keys');
  remote.press('alt+v');
  await remote.untilSeen(/your clipboard can't be read over SSH; mention a file instead:\s+@path/);
  await until(() => stage.sim.requests.length === 0);
});
