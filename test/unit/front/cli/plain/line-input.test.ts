/** Keys pressed on a pretended terminal whose clock stands still: what a question gets, and what the line being typed. */

import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LineInput } from '../../../../../src/front/cli/plain/line-input.js';
import { Screen } from '../../../../../src/front/cli/plain/screen.js';
import { ManualClock } from '../../../../support/hosts/manual-clock.js';
import { turns } from '../../../../support/until.js';

function sit() {
  const keys = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const shown = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  let text = '';
  shown.on('data', (chunk) => (text += chunk));
  const clock = new ManualClock();
  const screen = new Screen(shown);
  const input = new LineInput(
    { input: keys as unknown as NodeJS.ReadStream, output: shown as unknown as NodeJS.WriteStream },
    screen,
    clock,
  );
  onTestFinished(() => {
    input.close();
    input.restore();
  });
  const type = async (what: string) => {
    keys.write(what);
    await turns(5);
  };
  const ask = () => {
    screen.line('May I?');
    return input.read({ prompt: '? ', question: true });
  };
  return { input, screen, clock, type, ask, text: () => text };
}

describe('typing never answers a question', () => {
  it('GT-11: a question that comes in the middle of a word waits for a pause', async () => {
    const { input, clock, type, ask, text } = sit();
    const prompt = input.read({ prompt: '> ' });
    await type('onl');
    const answer = ask();
    await clock.advance(300);
    expect(text()).not.toContain('May I?');
    await type('y\r');
    expect(await prompt).toBe('only');
    await clock.advance(1);
    expect(text()).toContain('May I?');
    await type('n\r');
    expect(await answer).toBe('n');
  });

  it('GT-11: keys that come right after it has appeared still belong to the line, and it asks again', async () => {
    const { input, clock, type, ask, text } = sit();
    const prompt = input.read({ prompt: '> ' });
    await type('onl');
    const answer = ask();
    await clock.advance(500);
    expect(text()).toMatch(/May I\?\n\(your line is kept/);
    await clock.advance(499);
    await type('y\r');
    expect(await prompt).toBe('only');
    await clock.advance(1000);
    await type('y\r');
    expect(await answer).toBe('y');
  });

  it('GT-11: after the pause it has the keys, also for a second line, and the draft is back at the end', async () => {
    const { input, clock, type, ask } = sit();
    const prompt = input.read({ prompt: '> ' });
    await type('onl');
    const answer = ask();
    await clock.advance(1000);
    await type('r\r');
    expect(await answer).toBe('r');
    const reason = input.read({ prompt: 'reason: ', question: true });
    await type('too soon\r');
    expect(await reason).toBe('too soon');
    await clock.advance(1);
    await type('y\r');
    expect(await prompt).toBe('only');
  });

  it('GT-11: a question that is taken back gives the line back, without what was typed for it', async () => {
    const { input, screen, clock, type } = sit();
    const prompt = input.read({ prompt: '> ' });
    await type('onl');
    const over = new AbortController();
    screen.line('May I?');
    const answer = input.read({ prompt: '? ', question: true, signal: over.signal });
    await clock.advance(1000);
    await type('ye');
    over.abort();
    expect(await answer).toBeUndefined();
    await clock.advance(1);
    await type('y\r');
    expect(await prompt).toBe('only');
  });

  it('GT-11: text from the history is treated as typed', async () => {
    const { input, clock, type, ask, text } = sit();
    const first = input.read({ prompt: '> ' });
    await type('earlier\r');
    expect(await first).toBe('earlier');
    const prompt = input.read({ prompt: '> ' });
    await type('\u0010');
    void ask();
    expect(text()).not.toContain('May I?');
    await type('\r');
    expect(await prompt).toBe('earlier');
    await clock.advance(1);
    expect(text()).toContain('May I?');
  });

  it('SF-17: a line entered before there is a prompt waits for it, and answers no question', async () => {
    const { input, clock, type, ask } = sit();
    await type('y\r');
    const answer = ask();
    await clock.advance(1000);
    const first = input.read({ prompt: '> ' });
    await type('n\r');
    expect(await answer).toBe('n');
    await clock.advance(1);
    expect(await first).toBe('y');
  });

  it('SF-17: what is pasted in the middle of a line lands there', async () => {
    const { input, type } = sit();
    const prompt = input.read({ prompt: '> ' });
    await type('a story');
    await type('\u001b[D\u001b[D\u001b[D\u001b[D\u001b[D');
    await type('\u001b[200~short \u001b[201~');
    await type('\r');
    expect(await prompt).toBe('a short story');
  });

  it('LC-3: Ctrl+B is the cursor left, unless there is something to move', async () => {
    const { input, type } = sit();
    let moved = 0;
    const prompt = input.read({ prompt: '> ' });
    await type('ac');
    await type('\u0002');
    await type('b');
    input.onBackground = () => {
      moved += 1;
      return true;
    };
    await type('\u0002');
    await type('B\r');
    expect(await prompt).toBe('abBc');
    expect(moved).toBe(1);
  });
});
