import { describe, expect, it } from 'vitest';
import fc from '../../../../support/fast-check.js';
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

  it('TU-15: typing after a pause answers none, sent or not, while questions keep arriving', async () => {
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
      fc.asyncProperty(
        fc.array(burst, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        destroys,
        async (bursts, isSent, marks) => {
          const pageHost = stage();
          await pageHost.open(...fifty.slice(0, 5).map((one) => ({ ...one, destroys: marks ? ['deletes'] : [] })));
          for (const keys of bursts) {
            await pageHost.clock.advance(2_000);
            if (isSent) pageHost.editor.length = 0;
            const before = pageHost.written();
            const text: string[] = [];
            for (const [name, ms] of keys) {
              const one = key(name === ' ' ? 'space' : name);
              if (one.kind === 'key') text.push(one.text ?? '');
              pageHost.press(one);
              await pageHost.clock.advance(ms);
            }
            expect(pageHost.written()).toBe(before + text.join(''));
          }
          await pageHost.clock.advance(2_000);
          expect(pageHost.given).toEqual([]);
        },
      ),
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

  it('TU-15: when the program was blocked, unread keys come before the answer', async () => {
    const timers: (() => void)[] = [];
    const later = (_ms: number, run: () => void) => {
      timers.push(run);
      return () => {};
    };
    const { open, clock, press, given, written } = stage({ later });
    await open(ask('q'));
    await clock.advance(1_000);
    press(key('y'));
    await clock.advance(600);
    timers.shift()?.();
    expect(given).toEqual([]);
    press(key('e'));
    for (const ring of timers) ring();
    expect(given).toEqual([]);
    expect(written()).toBe('ye');
  });

  it('TU-15: with a draft, keys answer only after Tab and a pause', async () => {
    const { open, clock, press, type, deliberate, given, written, rows } = stage();
    await type('half');
    await open(ask('q'));
    expect(rows().at(-1)).toBe(' ›1 once · 3 no, because… · tab focus');
    await deliberate('1', '3', 'enter');
    expect([given, written()]).toEqual([[], 'half13']);
    press(key('tab'));
    expect(rows().at(-1)).toBe(' ›1 once · 3 no, because…');
    await clock.advance(499);
    press(key('1'));
    await clock.advance(2_000);
    expect([given, written()]).toEqual([[], 'half131']);
    await deliberate('tab', '1');
    expect(given).toEqual([['q', { behavior: 'allow' }]]);
  });

  it('TU-15: a paste answers nothing, also right after a key', async () => {
    const { open, clock, press, given, written } = stage();
    await open(ask('q'));
    await clock.advance(1_000);
    press({ kind: 'paste', text: '1' });
    await clock.advance(1_000);
    expect([given, written()]).toEqual([[], '1']);
    const other = stage();
    await other.open(ask('q'));
    await other.clock.advance(1_000);
    other.press(key('y'));
    await other.clock.advance(100);
    other.press({ kind: 'paste', text: 'es' });
    await other.clock.advance(1_000);
    expect([other.given, other.written()]).toEqual([[], 'yes']);
  });

  it('TU-15: before its input can be read, or with too little room, nothing answers it', async () => {
    const unseen = stage();
    unseen.pageHost.update([ask('q')]);
    await unseen.clock.advance(2_000);
    unseen.pageHost.press(key('1'), { hasDraft: false });
    await unseen.clock.advance(2_000);
    expect(unseen.given).toEqual([]);
    const small = stage({ maxRows: 2 });
    await small.open(ask('q'));
    await small.deliberate('up', 'up', 'y');
    expect([small.given, small.written()]).toEqual([[], 'y']);
  });

  it('TU-15: a question settled while a key is held leaves the next one unanswered', async () => {
    const { open, clock, press, settle, given } = stage();
    const other = ask('b', { call: { id: 'c', tool: 'Bash', input: { command: 'ls' } } });
    await open(ask('a'), other);
    await clock.advance(1_000);
    press(key('y'));
    await clock.advance(100);
    await settle('a');
    await clock.advance(2_000);
    expect(given).toEqual([]);
  });

  it('TU-15: keys that went to a page are typing, too', async () => {
    const { open, clock, pageHost, press, given } = stage();
    await open(ask('q'));
    await clock.advance(2_000);
    pageHost.typed();
    await clock.advance(300);
    press(key('y'));
    await clock.advance(2_000);
    expect(given).toEqual([]);
  });
});
