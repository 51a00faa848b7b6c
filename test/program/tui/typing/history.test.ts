/** Typed text comes back: after a kill, at the next start, after a clean exit (TU-18). */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../../../support/until.js';
import { count, setTerminalStage } from '../terminal-stage.js';
import { untilOpen } from '../until-open.js';

/** Waits until the draft's file has it, completely written. */
async function untilSaved(home: string, words: string): Promise<void> {
  await until(async () => {
    const all = await readdir(join(home, '.coppice'), { recursive: true });
    const drafts = all.filter((name) => /\.drafts\/[0-9a-f-]{36}$/.test(name));
    const texts = await Promise.all(
      drafts.map((name) => readFile(join(home, '.coppice', name), 'utf8').catch(() => '')),
    );
    return texts.some((text) => text.includes(words));
  }, `${words} is saved`);
}

test('TU-18: a draft and the history survive kill -9: the draft is the newest entry of the next start', async () => {
  const stage = await setTerminalStage([{ reply: 'ANSWERED.' }]);
  const first = stage.open();
  await untilOpen(first);
  first.type('said before');
  first.press('enter');
  await first.until('ANSWERED.');
  first.type('half a sentence I was typing');
  await first.untilSeen('half a sentence I was typing');
  await untilSaved(stage.home, 'half a sentence I was typing');
  process.kill(first.process.pid, 'SIGKILL');
  await first.ended;

  const second = stage.open();
  await untilOpen(second);
  second.press('up');
  await second.untilSeen('> half a sentence I was typing');
  second.press('ctrl+u');
  await second.untilGone('half a sentence');
  second.press('ctrl+_');
  await second.untilSeen('> half a sentence I was typing');
});

test('TU-18: --continue after a kill has the draft in the editor again', async () => {
  const stage = await setTerminalStage([{ reply: 'ANSWERED.' }]);
  const first = stage.open();
  await untilOpen(first);
  first.type('said before');
  first.press('enter');
  await first.until('ANSWERED.');
  first.type('unfinished words');
  await first.untilSeen('unfinished words');
  await untilSaved(stage.home, 'unfinished words');
  process.kill(first.process.pid, 'SIGKILL');
  await first.ended;
  const second = stage.open(['--continue']);
  await second.untilSeen('> unfinished words');
  expect(count(second.lines(), '> said before')).toBe(1);
});

test('TU-18: a clean exit saves the draft in the history; Ctrl+C and a double Esc, too', async () => {
  const stage = await setTerminalStage([]);
  const first = stage.open();
  await untilOpen(first);
  first.type('kept by ctrl+c');
  await first.untilSeen('kept by ctrl+c');
  first.press('ctrl+c');
  await first.untilGone('kept by ctrl+c');
  first.type('kept by esc');
  await first.untilSeen('kept by esc');
  first.press('esc');
  await first.untilSeen('again to clear the draft');
  first.press('esc');
  await first.untilGone('> kept by esc');
  first.type('never sent');
  await first.untilSeen('never sent');
  first.process.kill('SIGTERM');
  await first.ended;
  const second = stage.open();
  await untilOpen(second);
  for (const words of ['never sent', 'kept by esc', 'kept by ctrl+c']) {
    second.press('up');
    await second.untilSeen(`> ${words}`);
  }
});

test('TU-18: the draft returns after an earlier prompt was edited, and the edited one is saved, too', async () => {
  const stage = await setTerminalStage([{ reply: 'ANSWERED.' }]);
  const terminal = stage.open();
  await untilOpen(terminal);
  terminal.type('original words');
  terminal.press('enter');
  await terminal.until('ANSWERED.');
  terminal.type('a draft');
  terminal.press('up');
  await terminal.untilSeen('> original words');
  terminal.type(' changed');
  await terminal.untilSeen('> original words changed');
  terminal.press('down');
  await terminal.untilSeen('> a draft');
  terminal.press('up');
  await terminal.untilSeen('> original words changed');
});
