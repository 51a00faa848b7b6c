/** Who gets the keys at a terminal: a question, or the line that is being typed. And Ctrl+Z. */

import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { count, type PlainStage, PROGRAM, setPlainStage } from '../../../program/cli/plain/plain-stage.js';
import { agentCall } from '../../../support/agent-call.js';
import { gate, onceOpen } from '../../../support/gate.js';
import { until } from '../../../support/until.js';

/**
 * The main agent starts a child in the background, which asks for a command once it is let go, and ends only after the
 * user was heard: a notice in the same request would be answered instead.
 */
function asksFromBehind(held: ReturnType<typeof gate>): Rule[] {
  const heardYou = gate();
  return [
    { when: { user: '<task-notification>' }, reply: 'The task is over.' },
    { when: { user: 'DO-IT', result: { tool: 'Bash', error: true } }, reply: onceOpen(heardYou, 'I was not allowed.') },
    { when: { user: 'DO-IT', result: { tool: 'Bash' } }, reply: onceOpen(heardYou, 'I have done it.') },
    { when: { user: 'DO-IT' }, reply: onceOpen(held, [{ tool: 'Bash', input: { command: 'touch made' } }]) },
    { when: { result: { tool: 'Agent' } }, reply: 'It works behind.' },
    { when: { user: 'delegate' }, reply: [agentCall('DO-IT', { run_in_background: true })] },
    {
      reply: () => {
        heardYou.open();
        return 'Heard you.';
      },
    },
  ];
}

const UNASKED = ['--plain', '--fork', 'off', 'delegate'];

async function behind(held: ReturnType<typeof gate>, env: Record<string, string> = {}) {
  const stage = await setPlainStage(asksFromBehind(held));
  await stage.settings({ subagents: { allowEdits: false } });
  const screen = stage.screen(UNASKED, env);
  await screen.until(/It works behind\.\n> $/m);
  return { stage, screen };
}

/** Whether the model was sent this. */
const heard = (stage: PlainStage, text: string) =>
  stage.sim.requests.some((request) => request.raw.toString('utf8').includes(text));

describe('a question while a line is being typed', () => {
  it('GT-11: it takes the keys; the line waits, comes back as it was, and is sent whole', async () => {
    const held = gate();
    const { stage, screen } = await behind(held);
    screen.type('tell me a story\u001b[D\u001b[D\u001b[D\u001b[D\u001b[D');
    await screen.until('> tell me a story');
    held.open();
    await screen.until(/asks to use Bash[\s\S]*your line is kept[\s\S]*\n\? $/m);
    screen.type('y\r');
    await screen.until(/\n> tell me a story$/m);
    // The cursor is where it was: before the last word.
    screen.type('short \r');
    await screen.until(/> tell me a short story[\s\S]*Heard you\./);
    expect(heard(stage, '"tell me a short story"')).toBe(true);
    await screen.until(/The task is over\.\n> $/m);
    expect(await stage.read('made')).toBe('');
    expect(screen.text()).not.toContain('not one of the choices');
  });

  it('GT-11: a long line in a narrow window, and lines before it, come back too', async () => {
    const held = gate();
    const { stage, screen } = await behind(held);
    screen.terminal.resize(30, 20);
    screen.process.resize(30, 20);
    const long = 'a line that is a good deal longer than the window is wide, twice over';
    screen.type(`first \\\r${long}`);
    await screen.until(`… ${long}`);
    held.open();
    await screen.until(/\n\? $/m);
    expect(count(screen.text(), long)).toBe(0);
    screen.type('maybe\r');
    await screen.until(/not one of the choices[\s\S]*\n\? $/m);
    screen.type('n no such thing\r');
    await screen.until(`… ${long}`);
    screen.type('.\r');
    await screen.until('Heard you.');
    expect(heard(stage, `"first \\n${long}."`)).toBe(true);
    expect(heard(stage, 'the person said no: no such thing')).toBe(true);
  });

  it('GT-11: an interrupt at the question leaves the line; the end of the input is a no', async () => {
    const held = gate();
    const { stage, screen } = await behind(held);
    screen.type('half a thought');
    await screen.until('> half a thought');
    held.open();
    await screen.until(/\n\? $/m);
    screen.type('ye\u0003');
    await screen.until(/press Ctrl\+C again to exit[\s\S]*\n\? $/m);
    screen.type('\u0004');
    expect(await screen.ended).toBe(0);
    await expect(stage.read('made')).rejects.toThrow('ENOENT');
    expect(heard(stage, 'half a thought')).toBe(false);
  });

  it('GT-11: on a terminal without any abilities the line comes back as well', async () => {
    const held = gate();
    const { stage, screen } = await behind(held, { TERM: 'dumb' });
    screen.type('tell me');
    await screen.until('> tell me');
    held.open();
    await screen.until(/asks to use Bash[\s\S]*\n\? $/m);
    screen.type('y\r');
    await screen.until(/\n\? y[\s\S]*> tell me\s*$/);
    screen.type(' more\r');
    await screen.until('Heard you.');
    expect(heard(stage, '"tell me more"')).toBe(true);
    expect(screen.raw()).not.toContain('\u001b');
  });
});

describe('Ctrl+Z', () => {
  it('SF-17: stops it, and fg continues where it was, with the line that was typed', async () => {
    const stage = await setPlainStage([{ reply: 'Here again.' }]);
    const screen = stage.screen(['--norc', '--noprofile', '-i'], { PS1: 'shell$ ' }, '/bin/bash');
    await screen.until('shell$ ');
    screen.type(`"${process.execPath}" "${PROGRAM}" --plain; echo "left with $?"\r`);
    await screen.until(/\n> $/m);
    screen.type('are you');
    await screen.until('> are you');
    screen.type('\u001a');
    await screen.until(/Stopped[\s\S]*shell\$ $/m);
    expect(screen.terminal.modes.bracketedPasteMode).toBe(true);
    screen.type('fg\r');
    await screen.until(/\n> are you$/m);
    // Keys count one by one again, not only whole lines.
    screen.type('?\u001b[D there');
    await screen.until(/\n> are you there\?$/m);
    expect(screen.terminal.modes.bracketedPasteMode).toBe(true);
    screen.type('\r');
    await screen.until(/Here again\.\n> $/m);
    screen.type('/exit\r');
    await screen.until(/Session /);
    expect(heard(stage, '"are you there?"')).toBe(true);
  });

  it('SF-17: where no shell could continue it, it continues at once', async () => {
    const stage = await setPlainStage([{ reply: 'Still here.' }]);
    const screen = stage.screen();
    await screen.until(/\n> $/m);
    screen.type('\u001a');
    await until(() => count(screen.raw(), '\u001b[?2004h') === 2, 'it has the terminal again');
    screen.type('hell\u001b[Do');
    await screen.until(/\n> helol$/m);
    screen.type('\r');
    await screen.until(/Still here\.\n> $/m);
  });
});
