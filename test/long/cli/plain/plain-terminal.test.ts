/** `coppice --plain` at a real terminal: keys pressed, the screen read. */

import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { count, type PlainStage, PROGRAM, setPlainStage } from '../../../program/cli/plain/plain-stage.js';
import { gate } from '../../../support/gate.js';
import { transcriptsIn } from '../../../support/session-files.js';
import { until } from '../../../support/until.js';

const TOUCH = (command: string): Rule[] => [
  { when: { result: { tool: 'Bash', error: true } }, reply: 'It failed: {{result}}' },
  { when: { result: { tool: 'Bash' } }, reply: 'It worked.' },
  { when: { user: /^go\b/m }, reply: [{ tool: 'Bash', input: { command } }] },
];

async function untilAsked(stage: PlainStage, requests: number): Promise<void> {
  await stage.sim.received(requests);
}

/** The model has said all it has to say, and the program has taken it up: it is on disk. */
async function untilAnswered(stage: PlainStage, requests: number): Promise<void> {
  await until(async () => {
    const [path] = await transcriptsIn(stage.env.COPPICE_HOME);
    const content = path === undefined ? '' : await readFile(path, 'utf8');
    return content.split('"kind":"assistant-replied"').length > requests;
  }, 'the reply is on disk');
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe('a line-based session at a terminal', () => {
  it('SF-17: --plain prompts, streams the reply, and gives the terminal back as it was', async () => {
    const stage = await setPlainStage([{ when: { user: 'hello' }, reply: 'Good day to you.' }]);
    const script = `stty -a > before; "${process.execPath}" "${PROGRAM}" --plain; echo "left with $?"; stty -a > after`;
    const screen = stage.screen(['-c', script], {}, '/bin/sh');
    await screen.until(/\n> $/m);
    screen.type('hello\r');
    await screen.until('Good day to you.');
    await screen.until(/Good day to you\.\n> $/m);
    screen.type('/exit\r');
    await screen.until('left with 0');
    await screen.ended;
    expect(await stage.read('after')).toBe(await stage.read('before'));
    expect(screen.terminal.modes.bracketedPasteMode).toBe(false);
    expect(screen.text()).toMatch(/Session [0-9a-f-]+\nTranscript: .*\.jsonl/);
  });

  it('SF-17: a reply is shown while it is still coming; Ctrl+C interrupts it, and twice leaves', async () => {
    const stage = await setPlainStage([
      { when: { user: 'again' }, reply: 'Here I am.' },
      {
        when: { user: 'talk' },
        reply: 'A beginning that never comes to its end.'.repeat(5),
        fault: { kind: 'silence', at: 5 },
      },
    ]);
    const screen = stage.screen();
    await screen.until(/\n> $/m);
    screen.type('talk\r');
    await screen.until(/\nA/);
    screen.type('\u0003');
    await screen.until('(interrupted)');
    await screen.until(/\(interrupted\)\n> $/m);
    screen.type('again\r');
    await screen.until('Here I am.');
    await screen.until(/Here I am\.\n> $/m);
    screen.type('\u0003');
    await screen.until('(press Ctrl+C again to exit)');
    screen.type('\u0003');
    expect(await screen.ended).toBe(130);
    expect(screen.terminal.modes.bracketedPasteMode).toBe(false);
  });

  it('SF-17: Ctrl+C takes a typed line away, Ctrl+D at an empty prompt leaves', async () => {
    const stage = await setPlainStage([{ reply: 'Never asked.' }]);
    const screen = stage.screen();
    await screen.until(/\n> $/m);
    screen.type('half a thought');
    await screen.until('> half a thought');
    screen.type('\u0003');
    await screen.until(/\n> $/m);
    screen.type('\u0004');
    expect(await screen.ended).toBe(0);
    await screen.until('no prompt was sent');
    expect(stage.sim.requests).toHaveLength(0);
  });

  it('SF-17: ended from outside in the middle of a question, the terminal is given back', async () => {
    const stage = await setPlainStage(TOUCH('touch made'));
    const script = `stty -a > before; "${process.execPath}" "${PROGRAM}" --plain go; echo "left with $?"; stty -a > after`;
    const screen = stage.screen(['-c', `${script}`], {}, '/bin/sh');
    await screen.until(/\n\? $/m);
    expect(screen.terminal.modes.bracketedPasteMode).toBe(true);
    const child = await readFile(`/proc/${screen.process.pid}/task/${screen.process.pid}/children`, 'utf8');
    process.kill(Number(child.trim()), 'SIGTERM');
    await screen.until('left with 143');
    await screen.ended;
    expect(await stage.read('after')).toBe(await stage.read('before'));
    expect(screen.terminal.modes.bracketedPasteMode).toBe(false);
  });

  it.each([
    { name: 'ACCESSIBLE', value: '1' },
    { name: 'TERM', value: 'dumb' },
  ])('SF-17, TU-29: with $name=$value coppice continues line by line, without --plain', async ({ name, value }) => {
    const stage = await setPlainStage([{ reply: 'Hello.' }]);
    const screen = stage.screen(['say hello'], { [name]: value });
    await screen.until(/Hello\.\n> $/m);
    expect(screen.raw()).not.toContain('\u001b[?2026h');
    screen.type('\u0004');
    expect(await screen.ended).toBe(0);
  });

  it('SF-17: text entered while it runs reaches it at its next step, and its output leaves it whole', async () => {
    const held = gate();
    const stage = await setPlainStage([
      { when: { user: 'also this' }, reply: 'Both heard.' },
      { when: { user: /^go\b/m }, reply: async () => held.opened.then(() => 'A first answer.') },
    ]);
    const screen = stage.screen(['--plain', 'go']);
    await untilAsked(stage, 1);
    screen.type('also ');
    await screen.until('> also');
    held.open();
    await untilAnswered(stage, 1);
    screen.type('this\r');
    await screen.until('Both heard.');
    // What came meanwhile waited for the line to be sent.
    expect(screen.text()).toMatch(/\n> also this\n[\s\S]*A first answer\./);
  });

  it('SF-17: a line that ends with a backslash continues; a paste of several lines is one prompt', async () => {
    const stage = await setPlainStage([{ reply: 'Noted.' }]);
    const screen = stage.screen();
    await screen.until(/\n> $/m);
    screen.type('first \\\rsecond\r');
    await screen.until(/Noted\.\n> $/m);
    screen.type('\u001b[200~one\rtwo\rthree\u001b[201~');
    await screen.until('three');
    expect(stage.sim.requests).toHaveLength(1);
    screen.type('\r');
    await screen.until(/Noted\.[\s\S]*Noted\.\n> $/m);
    const said = stage.sim.requests.map((request) => request.raw.toString('utf8'));
    expect(said[0]).toContain('first \\nsecond');
    expect(said[1]).toContain('one\\ntwo\\nthree');
  });

  it('GT-11: yes, once: it runs, and the same is asked again', async () => {
    const stage = await setPlainStage(TOUCH('touch made'));
    const screen = stage.screen(['--plain', 'go']);
    await screen.until('? ');
    expect(screen.text()).toContain('The main agent asks to use Bash');
    expect(screen.text()).toContain(`in ${stage.folder}`);
    expect(screen.text()).toContain('  | touch made\n');
    screen.type('what?\r');
    await screen.until('not one of the choices');
    screen.type('y\r');
    await screen.until('It worked.');
    expect(await exists(join(stage.folder, 'made'))).toBe(true);
    screen.type('go again\r');
    await screen.until(/It worked\.[\s\S]*asks to use Bash[\s\S]*\n\? $/m);
  });

  it('GT-11: always in this session: what was shown is not asked again', async () => {
    const stage = await setPlainStage(TOUCH('touch made'));
    const screen = stage.screen(['--plain', 'go']);
    await screen.until(/\n\? $/m);
    expect(screen.text()).toContain('always in this session: Bash(touch made)');
    screen.type('a\r');
    await screen.until(/It worked\.\n> $/m);
    screen.type('go again\r');
    await screen.until(/It worked\.[\s\S]*It worked\.\n> $/m);
    expect(count(screen.text(), 'asks to use Bash')).toBe(1);
  });

  it('GT-11: no, and no with a reason: it does not run, and the model hears why', async () => {
    const stage = await setPlainStage(TOUCH('touch made'));
    const screen = stage.screen(['--plain', 'go']);
    await screen.until(/\n\? $/m);
    screen.type('n\r');
    await screen.until(/It failed: .*the person said no\n> $/m);
    screen.type('go on\r');
    await screen.until(/go on[\s\S]*\n\? $/m);
    screen.type('r\r');
    await screen.until('reason: ');
    screen.type('use make instead\r');
    await screen.until('It failed: Permission denied: the person said no: use make instead');
    expect(await exists(join(stage.folder, 'made'))).toBe(false);
  });

  it('GT-11: Ctrl+C takes the question back; what was typed for it answers nothing', async () => {
    const stage = await setPlainStage(TOUCH('touch made'));
    const screen = stage.screen(['--plain', 'go']);
    await screen.until(/\n\? $/m);
    screen.type('y');
    await screen.until(/\n\? y/);
    screen.type('\u0003');
    await screen.until('(the question was withdrawn)');
    await screen.until(/\n> $/m);
    expect(await exists(join(stage.folder, 'made'))).toBe(false);
  });

  it('GT-11: a line begun before the question came is no answer to it, and is sent afterwards', async () => {
    const held = gate();
    const stage = await setPlainStage([
      { when: { user: 'yes' }, reply: 'Both were heard.' },
      { when: { result: 'said no' }, reply: 'The question was answered.' },
      {
        when: { user: /^go\b/m },
        reply: async () => held.opened.then(() => [{ tool: 'Bash', input: { command: 'touch made' } }]),
      },
    ]);
    const screen = stage.screen(['--plain', 'go']);
    await untilAsked(stage, 1);
    screen.type('ye');
    await screen.until('> ye');
    held.open();
    await screen.until(/asks to use Bash\n[\s\S]*touch made[\s\S]*\n\? $/m);
    screen.type('n\r');
    await screen.until(/\n> ye$/m);
    expect(await exists(join(stage.folder, 'made'))).toBe(false);
    screen.type('s\r');
    await screen.until('Both were heard.');
  });

  it('SF-17: colours at a terminal, none with NO_COLOR', async () => {
    const stage = await setPlainStage(TOUCH('touch made'));
    const coloured = stage.screen(['--plain', 'go']);
    await coloured.until(/\n\? $/m);
    expect(coloured.raw()).toContain('\u001b[1m');
    const plain = stage.screen(['--plain', 'go'], { NO_COLOR: '1' });
    await plain.until(/\n\? $/m);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is looked for.
    expect(plain.raw()).not.toMatch(/\u001b\[[0-9;]*m/);
  });

  it('SF-17: a window that changes its size while a question waits leaves the question answerable', async () => {
    const stage = await setPlainStage(TOUCH('touch made'));
    const screen = stage.screen(['--plain', 'go']);
    await screen.until(/\n\? $/m);
    screen.terminal.resize(40, 12);
    screen.process.resize(40, 12);
    screen.type('y\r');
    await screen.until('It worked.');
  });

  it('SF-17: a terminal without any abilities (TERM=dumb) gets no sequences', async () => {
    const stage = await setPlainStage(TOUCH('touch made'));
    const screen = stage.screen(['--plain', 'go'], { TERM: 'dumb' });
    await screen.until('? ');
    screen.type('y\r');
    await screen.until('It worked.');
    expect(screen.raw()).not.toContain('\u001b');
  });
});
