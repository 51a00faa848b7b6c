import { describe, expect, it } from 'vitest';
import { KeyReader } from '../../../../../src/front/tui/input/read-keys.js';
import fc from '../../../../support/fast-check.js';
import { ManualClock } from '../../../../support/hosts/manual-clock.js';
import { press, readAll, reading } from './typing.js';

const names = (data: string) => readAll(data).map((press) => (press.kind === 'key' ? press.name : press.kind));

describe('keys of a terminal', () => {
  it.each([
    ['\r', ['enter']],
    ['\n', ['ctrl+j']],
    ['\t', ['tab']],
    ['\u007f\b', ['backspace', 'ctrl+h']],
    ['\u0001\u0003\u001f\u0000', ['ctrl+a', 'ctrl+c', 'ctrl+_', 'ctrl+space']],
    ['a Z', ['a', 'space', 'Z']],
    ['é你👍', ['é', '你', '👍']],
    ['\u001b[A\u001bOB\u001b[1;5C\u001b[1;2D', ['up', 'down', 'ctrl+right', 'shift+left']],
    ['\u001b[H\u001b[F\u001b[1~\u001b[4~\u001b[7~\u001b[8~', ['home', 'end', 'home', 'end', 'home', 'end']],
    ['\u001b[2~\u001b[3~\u001b[5~\u001b[6~\u001b[3;5~', ['insert', 'delete', 'pageup', 'pagedown', 'ctrl+delete']],
    ['\u001bOP\u001b[15~\u001b[24~\u001b[[A\u001b[1;2P', ['f1', 'f5', 'f12', 'f1', 'shift+f1']],
    ['\u001b[Z', ['shift+tab']],
    ['\u001bb\u001bF\u001b\u007f\u001b\r\u001b ', ['alt+b', 'alt+F', 'alt+backspace', 'alt+enter', 'alt+space']],
    ['\u001b\u0002', ['ctrl+alt+b']],
    ['\u001b\u001b[A', ['alt+up']],
    ['\u001b\u001bx', ['esc', 'alt+x']],
    ['\u001bOM\u001bOa\u001b[a\u001bOr', ['enter', 'ctrl+up', 'shift+up', '2']],
  ])('reads what terminals send since ever: %j', (data, expected) => {
    expect(names(data)).toEqual(expected);
  });

  it.each([
    ['\u001b[97;5u', ['ctrl+a']],
    ['\u001b[27u\u001b[13u\u001b[9u\u001b[127u', ['esc', 'enter', 'tab', 'backspace']],
    ['\u001b[13;2u\u001b[13;3u\u001b[13;5u', ['shift+enter', 'alt+enter', 'ctrl+enter']],
    ['\u001b[9;2u\u001b[127;3u', ['shift+tab', 'alt+backspace']],
    ['\u001b[97;6u\u001b[97;4u', ['ctrl+shift+a', 'alt+A']],
    ['\u001b[97;9u', ['super+a']],
    ['\u001b[45;6u\u001b[45:95;6u', ['ctrl+shift+-', 'ctrl+_']],
    ['\u001b[1092::97;5u', ['ctrl+a']],
    ['\u001b[97:65;2u\u001b[97;65u', ['A', 'A']],
    ['\u001b[97;5:1u\u001b[97;5:2u\u001b[97;5:3u', ['ctrl+a', 'ctrl+a']],
    ['\u001b[1;1:3A\u001b[57441;2u', []],
    ['\u001b[57399u\u001b[57414u\u001b[57419u', ['0', 'enter', 'up']],
    ['\u001b[32;2u', ['shift+space']],
    [
      '\u001b[27;2;13~\u001b[27;5;97~\u001b[27;6;65~\u001b[27;6;95~',
      ['shift+enter', 'ctrl+a', 'ctrl+shift+a', 'ctrl+_'],
    ],
  ])('reads kitty and modifyOtherKeys: %j', (data, expected) => {
    expect(names(data)).toEqual(expected);
  });

  it('reports the text of a key that types, and none for a command key', () => {
    expect(readAll('a \u001ba\u0001')).toEqual([
      press('a'),
      press('space'),
      { kind: 'key', name: 'alt+a' },
      { kind: 'key', name: 'ctrl+a' },
    ]);
    expect(readAll('\u001b[32;2u')).toEqual([{ kind: 'key', name: 'shift+space', text: ' ' }]);
  });

  it('reports the focus and the background', () => {
    expect(readAll('\u001b[I\u001b[O')).toEqual([
      { kind: 'focus', has: true },
      { kind: 'focus', has: false },
    ]);
    const white = { kind: 'background', red: 1, green: 1, blue: 1 };
    expect(readAll('\u001b]11;rgb:ffff/ffff/ffff\u0007\u001b]11;rgb:ff/ff/ff\u001b\\\u001b]11;#ffffff\u0007')).toEqual([
      white,
      white,
      white,
    ]);
  });

  it('drops other replies of a terminal, and codes that no key sends', () => {
    const answers =
      '\u001b[?1u\u001b[?64;1;2c\u001b[>0;276;0c\u001b[?2026;2$y\u001b[12;40R\u001b[<0;10;10M\u001b[8;24;80t';
    const strings = '\u001bP>|xterm(390)\u001b\\\u001b]52;c;aGk=\u0007\u001b_Gi=1;OK\u001b\\\u009b31m\u009d0;x\u009c';
    expect(readAll(`${answers}${strings}\u0085\u001b[M !!`)).toEqual([]);
  });

  it('never types the content of a reply that does not end, however long', async () => {
    const { reader, presses, clock } = reading();
    reader.push(`\u001b]52;c;${'QUJD'.repeat(3000)}`);
    reader.push('more of it');
    await clock.advance(300);
    reader.push('x');
    expect(presses).toEqual([press('x')]);
  });

  it('takes an ESC as the key after 30 ms, and waits longer for an incomplete sequence', async () => {
    const { reader, presses, clock } = reading();
    reader.push('\u001b');
    await clock.advance(29);
    expect(presses).toEqual([]);
    await clock.advance(1);
    expect(presses).toEqual([{ kind: 'key', name: 'esc' }]);
    reader.push('\u001b[');
    await clock.advance(200);
    reader.push('A');
    expect(presses.at(-1)).toEqual({ kind: 'key', name: 'up' });
    reader.push('\u001b[');
    await clock.advance(300);
    expect(presses.at(-1)).toEqual({ kind: 'key', name: 'alt+[' });
    reader.push('\u001b\u001b');
    await clock.advance(30);
    expect(presses.slice(-2)).toEqual([
      { kind: 'key', name: 'esc' },
      { kind: 'key', name: 'esc' },
    ]);
  });
});

describe('a paste', () => {
  it('TU-18: is one event, in any number of pieces, also with 10,000 lines', () => {
    const text = Array.from({ length: 10_000 }, (_, at) => `line ${at}\tof many`).join('\n');
    const data = `a\u001b[200~${text.replaceAll('\n', '\r')}\u001b[201~b`;
    for (const size of [7, 1024, data.length])
      expect(readAll(data, size)).toEqual([press('a'), { kind: 'paste', text }, press('b')]);
  });

  it('keeps line ends and tabs, and no other control character', () => {
    const data = '\u001b[200~a\r\nb\rc\td\u0000\u0007\u001b[31mred\u001b[0m\u009b1m \u202eevil\u001b[201~';
    expect(readAll(data)).toEqual([{ kind: 'paste', text: 'a\nb\nc\tdred evil' }]);
  });

  it('is reported even if empty: the clipboard may have an image', () => {
    expect(readAll('\u001b[200~\u001b[201~')).toEqual([{ kind: 'paste', text: '' }]);
  });

  it('ends with a lone Ctrl+C when its end mark was lost', () => {
    const { reader, presses } = reading();
    reader.push('\u001b[200~half');
    reader.push('\u0003');
    expect(presses).toEqual([
      { kind: 'paste', text: 'half' },
      { kind: 'key', name: 'ctrl+c' },
    ]);
  });

  it('is emitted as it is at the end of input', () => {
    const presses: unknown[] = [];
    const reader = new KeyReader((press) => presses.push(press), new ManualClock());
    reader.push('\u001b[200~half\u001b[20');
    reader.close();
    expect(presses).toEqual([{ kind: 'paste', text: 'half' }]);
  });
});

const piece = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 5 }),
  fc.string({ unit: 'binary', maxLength: 5 }),
  fc.constantFrom(
    '\u001b[A',
    '\u001b[97;5u',
    '\u001b[27;2;13~',
    '\u001bOP',
    '\u001bx',
    '\u001b\u001b[A',
    '\u001b[I',
    '\r',
    '\u0001',
  ),
  fc.constantFrom('\u001b]11;rgb:0000/8080/ffff\u0007', '\u001b[?1u', '\u001bP1$r0m\u001b\\', '\u001b[[A', '\u001b['),
  fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => `\u001b[200~${text}\u001b[201~`),
);

describe('bytes of any kind', () => {
  it('give the same key events however they are split', () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (pieces, sizes) => {
          const data = pieces.join('');
          fc.pre(!data.includes('\u0003'));
          const { reader, presses } = reading();
          for (let at = 0, turn = 0; at < data.length; turn += 1) {
            const size = sizes[turn % sizes.length] ?? 1;
            reader.push(data.slice(at, at + size));
            at += size;
          }
          reader.close();
          expect(presses).toEqual(readAll(data));
        },
      ),
    );
  });

  it('never type a control character', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        for (const press of readAll(pieces.join(''))) {
          const text = press.kind === 'key' || press.kind === 'paste' ? (press.text ?? '') : '';
          expect(text.replace(/[\n\t]/g, '')).not.toMatch(/\p{Cc}/u);
        }
      }),
    );
  });
});
