/** A user who is away is notified once (TU-26), and the status line counts agents and questions (TU-28). */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { setTerminalStage } from '../terminal-stage.js';
import { fork, openReady, send } from './tree-steps.js';

/** A terminal's reports that its window lost and gained the focus. */
const FOCUS_LOST = '\u001b[O';
const FOCUS_GOT = '\u001b[I';

/** Bells, except those that end a sequence. */
const bells = (raw: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: bells and sequences are control characters.
  raw.replace(/\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g, '').split('\u0007').length - 1;

it('TU-26, TU-28: a question rings once, only without the focus, and runs the hook; the status line counts it', async () => {
  const stage = await setTerminalStage([
    { when: { user: 'task-notification' }, reply: 'heard of it' },
    { when: { said: 'ASK-PART' }, reply: [{ tool: 'Bash', input: { command: 'touch made' } }] },
    { when: { result: { tool: 'Agent' } }, reply: 'it is at work' },
    { when: { user: 'begin' }, reply: [fork('ASK-PART', { name: 'kid' })] },
    { when: { user: 'again' }, reply: [{ tool: 'Bash', input: { command: 'touch other' } }] },
  ]);
  const told = join(stage.folder, 'told');
  await stage.settings({
    hooks: { Notification: [{ hooks: [{ type: 'command', command: `cat >> ${told}; echo >> ${told}` }] }] },
  });
  const terminal = await openReady(stage);
  terminal.type(FOCUS_LOST);
  send(terminal, 'begin');
  await terminal.untilSeen('1 once');
  await terminal.untilSeen(/· 1 agent · 1 question ·/);
  await terminal.until(() => bells(terminal.raw()) === 1, 'the bell');
  const hook = () => readFile(told, 'utf8').catch(() => '');
  await expect.poll(hook, { timeout: 10_000 }).toContain('Kid asks to use Bash');
  terminal.type(FOCUS_GOT);
  send(terminal, 'again');
  await terminal.untilSeen(/· 1 agent · 2 questions ·/);
  expect(bells(terminal.raw())).toBe(1);
  expect((await hook()).split('asks to use').length - 1).toBe(1);
});
