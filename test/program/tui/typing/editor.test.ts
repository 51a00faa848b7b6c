/** The editor at a real terminal: every key of the table once (SF-16), and typed text is never lost (TU-18). */

import { chmod } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { setTerminalStage } from '../terminal-stage.js';
import { untilEdited, untilOpen } from '../until-open.js';

const ECHO = [{ reply: 'ANSWERED.' }];

async function openStage(args: readonly string[] = [], env: Record<string, string> = {}) {
  const stage = await setTerminalStage(ECHO);
  const terminal = stage.open(args, { env });
  await untilOpen(terminal);
  return { stage, terminal };
}

test('SF-16: a new line by Ctrl+J, Alt+Enter and a backslash; Enter sends all of it', async () => {
  const { stage, terminal } = await openStage();
  terminal.type('one');
  terminal.press('ctrl+j');
  terminal.type('two');
  terminal.press('alt+enter');
  terminal.type('three\\');
  terminal.press('enter');
  terminal.type('four');
  await untilEdited(terminal, 'one\ntwo\nthree\nfour');
  terminal.press('enter');
  await terminal.until('ANSWERED.');
  expect(JSON.stringify(stage.sim.requests[0]?.body.messages.at(-1))).toContain('one\\ntwo\\nthree\\nfour');
});

test('SF-16: readline keys move, cut and yank; Ctrl+_ undoes', async () => {
  const { terminal } = await openStage();
  terminal.type('alpha beta gamma');
  terminal.press('ctrl+a');
  terminal.type('0');
  await untilEdited(terminal, '0alpha beta gamma');
  terminal.press('ctrl+e', 'ctrl+w');
  await untilEdited(terminal, '0alpha beta ');
  terminal.press('ctrl+a', 'ctrl+y');
  await untilEdited(terminal, 'gamma0alpha beta ');
  terminal.press('alt+f', 'ctrl+k');
  await untilEdited(terminal, 'gamma0alpha');
  terminal.press('alt+b', 'alt+d');
  await untilEdited(terminal, '');
  terminal.press('ctrl+_');
  await untilEdited(terminal, 'gamma0alpha');
  terminal.press('ctrl+_');
  await untilEdited(terminal, 'gamma0alpha beta ');
  terminal.press('ctrl+e', 'ctrl+u');
  terminal.type('ab');
  terminal.press('ctrl+b');
  terminal.type('x');
  terminal.press('ctrl+f');
  terminal.type('y');
  await untilEdited(terminal, 'axby');
  terminal.press('home', 'delete', 'end', 'backspace', 'left', 'ctrl+d');
  await untilEdited(terminal, 'x');
});

test('SF-16: Ctrl+S stashes and restores a draft; Ctrl+L redraws it', async () => {
  const { terminal } = await openStage();
  terminal.type('for later');
  terminal.press('ctrl+s');
  await terminal.untilSeen('draft stashed');
  await untilEdited(terminal, '');
  terminal.press('ctrl+s');
  await untilEdited(terminal, 'for later');
  terminal.press('ctrl+l');
  await untilEdited(terminal, 'for later');
});

test('SF-16: ↑ browses earlier prompts and ↓ returns to the draft; Ctrl+R finds one', async () => {
  const { stage, terminal } = await openStage();
  for (const [index, words] of ['first prompt', 'second prompt'].entries()) {
    terminal.type(words);
    terminal.press('enter');
    await terminal.until(() => stage.sim.requests.length > index, words);
    await terminal.until(() => terminal.lines().join('\n').split('ANSWERED.').length > index + 1, 'the reply');
  }
  terminal.type('my draft');
  terminal.press('up');
  await untilEdited(terminal, 'second prompt');
  terminal.press('up');
  await untilEdited(terminal, 'first prompt');
  terminal.press('down', 'ctrl+n');
  await untilEdited(terminal, 'my draft');
  terminal.press('ctrl+p');
  await untilEdited(terminal, 'second prompt');
  terminal.press('down', 'ctrl+r');
  terminal.type('irst');
  await terminal.untilSeen('first prompt');
  terminal.press('tab');
  await untilEdited(terminal, 'first prompt');
  terminal.press('ctrl+r');
  terminal.type('nothing like it');
  terminal.press('esc');
  await untilEdited(terminal, 'first prompt');
});

test('SF-16: Shift+Tab and Alt+M cycle through the modes, Alt+P lists the models, Alt+T toggles thinking', async () => {
  const { terminal } = await openStage();
  terminal.press('shift+tab');
  await terminal.untilSeen('mode acceptEdits');
  terminal.press('shift+tab');
  await terminal.untilSeen('mode plan');
  terminal.press('alt+m');
  await terminal.untilSeen(/mode (?:bypassPermissions|default)/);
  terminal.press('alt+p');
  await terminal.untilSeen('Model (current:');
  terminal.type('haiku');
  await terminal.untilSeen(/› haiku/);
  terminal.press('enter');
  await terminal.untilSeen(/model: claude-haiku/);
  terminal.press('alt+t');
  await terminal.untilSeen('thinking off');
  terminal.press('alt+t');
  await terminal.untilSeen('thinking on');
});

test('SF-16: Ctrl+O shows the transcript, Ctrl+T agents and todos, ? the keys', async () => {
  const stage = await setTerminalStage([
    {
      when: { nth: 1 },
      reply: [
        {
          tool: 'TodoWrite',
          input: {
            todos: ['Mow', 'Rake', 'Sow'].map((content) => ({
              content,
              activeForm: `${content}ing`,
              status: 'pending',
            })),
          },
        },
      ],
    },
    { reply: 'PLANNED.' },
  ]);
  const terminal = stage.open();
  await untilOpen(terminal);
  terminal.type('plan the garden');
  terminal.press('enter');
  await terminal.until('PLANNED.');
  terminal.press('ctrl+o');
  await terminal.untilSeen('esc back');
  await terminal.untilSeen('plan the garden');
  terminal.press('esc');
  await untilOpen(terminal);
  terminal.press('ctrl+t');
  await terminal.untilSeen('Sow');
  terminal.press('ctrl+t');
  await terminal.until(() => !terminal.rows().slice(-8).join('\n').includes('Sow'), 'the todos are folded');
  terminal.press('?');
  await terminal.untilSeen('Prompt');
  terminal.press('q');
  await untilOpen(terminal);
  terminal.type('why?');
  await untilEdited(terminal, 'why?');
});

test('SF-16: Ctrl+G and Ctrl+X Ctrl+E edit the draft in $EDITOR; one that fails leaves it unchanged', async () => {
  const stage = await setTerminalStage(ECHO);
  const editor = await stage.write('ed.sh', '#!/bin/sh\nprintf " and more\\nof it" >> "$1"\n');
  await chmod(editor, 0o755);
  const terminal = stage.open([], { env: { EDITOR: editor } });
  await untilOpen(terminal);
  terminal.type('begun');
  terminal.press('ctrl+g');
  await untilEdited(terminal, 'begun and more\nof it');
  await stage.write('ed.sh', '#!/bin/sh\necho lost > "$1"; exit 3\n');
  terminal.press('ctrl+x', 'ctrl+e');
  await terminal.untilSeen('ended with 3; the text is unchanged');
  await untilEdited(terminal, 'begun and more\nof it');
});

test('SF-16: without $EDITOR and without an image in the clipboard a line explains what to do', async () => {
  const { terminal } = await openStage();
  terminal.press('ctrl+g');
  await terminal.untilSeen('export EDITOR=');
  terminal.press('ctrl+v');
  await terminal.untilSeen(/path|install|picture|image/i);
  terminal.press('alt+v');
  terminal.type('still here');
  await untilEdited(terminal, 'still here');
});

test('TU-18: with vim keys Esc goes to normal mode first and never clears; letters are commands there', async () => {
  const { stage, terminal } = await openStage();
  terminal.type('/vim');
  terminal.press('enter');
  await terminal.until('vim keys: on');
  terminal.type('one two');
  await untilEdited(terminal, 'one two');
  terminal.press('esc');
  await terminal.untilSeen(/^: one two/m);
  for (const key of ['h', 'l', 'h']) {
    const before = terminal.terminal.buffer.active.cursorX;
    // Esc as sent by terminals that distinguish it: with a letter after it, it would be another key.
    terminal.type(`\u001b[27u${key}`);
    await terminal.until(() => terminal.terminal.buffer.active.cursorX !== before, `${key} moved`);
  }
  await untilEdited(terminal, 'one two');
  terminal.type('0dw');
  await untilEdited(terminal, 'two');
  terminal.type('u');
  await untilEdited(terminal, 'one two');
  terminal.type('A!');
  await untilEdited(terminal, 'one two!');
  terminal.press('enter');
  await terminal.until('ANSWERED.');
  expect(JSON.stringify(stage.sim.requests[0]?.body.messages.at(-1))).toContain('one two!');
});

test('TU-18: a paste of more than 10 lines is a chip, and all of it is sent', async () => {
  const { stage, terminal } = await openStage();
  const text = Array.from({ length: 14 }, (_, index) => `pasted ${index}`).join('\n');
  terminal.type('see ');
  terminal.paste(text);
  await terminal.untilSeen(/see \[.*14 lines.*\]/);
  terminal.press('enter');
  await terminal.until('ANSWERED.');
  expect(JSON.stringify(stage.sim.requests[0]?.body.messages.at(-1))).toContain('pasted 0\\npasted 1\\n');
});
