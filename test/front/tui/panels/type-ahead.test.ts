import { describe, expect, it } from 'vitest';
import fc from '../../../support/fast-check.js';
import { ask, fork, key, stage } from './question-stage.js';

const fifty = Array.from({ length: 50 }, (_, n) =>
  ask(`q${n}`, {
    agent: fork(`fork-${n}`),
    call: { id: `c${n}`, tool: 'Bash', input: { command: `npm test ${n}` } },
    offers: [{ kind: 'rule', rule: `Bash(npm test ${n})`, where: ['session', 'local'] }],
  }),
);
const WORDS = 'yes y1 1y 2a 3n no say anyway all later 123 lazy sly\n';

describe('type-ahead', () => {
  it('TU-15: 10 keys a second under 50 questions answer none; every key is text', async () => {
    const { open, type, written, given } = stage();
    await open(...fifty);
    await type(WORDS.repeat(4).trim(), 100);
    expect(given).toEqual([]);
    expect(written().replaceAll('\n', '')).toBe(WORDS.repeat(4).trim().replaceAll('\n', ''));
  });

  it('TU-15: words after a pause answer none, sent or not, while questions keep coming', async () => {
    for (const end of ['', '\n']) {
      const { open, type, clock, editor, given } = stage();
      let typed = '';
      for (const [index, word] of WORDS.trim().split(' ').entries()) {
        await open(...fifty.slice(0, index * 5 + 1));
        await clock.advance(3_000);
        editor.length = 0;
        await type(`${word}${end}`, 100);
        typed += word;
      }
      expect(given).toEqual([]);
      expect(typed).not.toBe('');
    }
  });

  it('TU-15: any rhythm of keys less than 200 ms apart answers nothing, and no text is lost', async () => {
    const press = fc.constantFrom(...'1y2al3ns45 xo-bc'.split(''), 'enter', 'up', 'down', 'pagedown');
    const burst = fc.array(fc.tuple(press, fc.integer({ min: 0, max: 199 })), { minLength: 2, maxLength: 12 });
    const destroys = fc.boolean();
    await fc.assert(
      fc.asyncProperty(fc.array(burst, { minLength: 1, maxLength: 4 }), fc.boolean(), destroys, async (bursts, isSent, marks) => {
        const desk = stage();
        await desk.open(...fifty.slice(0, 5).map((one) => ({ ...one, destroys: marks ? ['deletes'] : [] })));
        for (const keys of bursts) {
          await desk.clock.advance(2_000);
          if (isSent) desk.editor.length = 0;
          const before = desk.written();
          const text: string[] = [];
          for (const [name, ms] of keys) {
            const one = key(name === ' ' ? 'space' : name);
            if (one.kind === 'key') text.push(one.text ?? '');
            desk.press(one);
            await desk.clock.advance(ms);
          }
          expect(desk.written()).toBe(before + text.join(''));
        }
        await desk.clock.advance(2_000);
        expect(desk.given).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('TU-15: a lone key after a pause answers, 200 ms later', async () => {
    const { open, clock, press, given } = stage();
    await open(ask('q'));
    await clock.advance(500);
    expect(press(key('1'))).toBe('taken');
    await clock.advance(199);
    expect(given).toEqual([]);
    await clock.advance(1);
    expect(given).toEqual([['q', { behavior: 'allow' }]]);
  });

  it('TU-15: when the program was held up, keys that wait to be read come before the answer', async () => {
    const { open, clock, desk, given, editor } = stage();
    await open(ask('q'));
    await clock.advance(1_000);
    desk.press(key('y'), { hasDraft: false });
    const timer = clock.next;
    expect(timer).toBe(200);
    // The clock jumps: the timer rings late, and the next key is read after it.
    const late = stage();
    await late.open(ask('q'));
    let at = 1_000;
    const rings: (() => void)[] = [];
    const { QuestionDesk } = await import('../../../../src/front/tui/panels/question-desk.js');
    const { bare } = await import('./question-stage.js');
    const answered: string[] = [];
    const texts: string[] = [];
    const busy = new QuestionDesk({
      answer: async (id) => void answered.push(id),
      toEditor: (presses) => texts.push(...presses.map((one) => (one.kind === 'key' ? one.name : ''))),
      later: (_ms, run) => {
        rings.push(run);
        return () => {};
      },
      now: () => at,
      editText: async () => undefined,
      paint: () => {},
    });
    busy.update([ask('q')]);
    await clock.settle();
    busy.rows({ width: 79, maxRows: 20 }, bare);
    at = 2_000;
    busy.press(key('y'), { hasDraft: false });
    at = 2_600;
    rings.shift()?.();
    expect(answered).toEqual([]);
    busy.press(key('e'), { hasDraft: false });
    for (const ring of rings) ring();
    expect(answered).toEqual([]);
    expect(texts).toEqual(['y', 'e']);
    expect([given, editor]).toEqual([[], []]);
  });
});
