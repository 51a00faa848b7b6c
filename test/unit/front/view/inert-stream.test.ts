import { describe, expect, it } from 'vitest';
import { InertStream } from '../../../../src/front/view/inert-stream.js';
import { stripControls } from '../../../../src/gate/permissions/strip-controls.js';
import fc from '../../../support/fast-check.js';

function stream(pieces: readonly string[]): string {
  const inert = new InertStream();
  return pieces.map((piece) => inert.push(piece)).join('') + inert.end();
}

/** Every way to cut a text into two and into single characters. */
function cuts(text: string): string[][] {
  const pairs = Array.from({ length: text.length + 1 }, (_, at) => [text.slice(0, at), text.slice(at)]);
  return [...pairs, text.split('')];
}

const SEQUENCES = [
  '\u001b[2J\u001b[H',
  '\u001b]52;c;cm0gLXJmIC8=\u0007',
  '\u001b]0;title\u0007',
  '\u001b]8;;http://evil\u0007text\u001b]8;;\u0007',
  '\u001bP+q544e\u001b\\',
  '\u001b[6n',
  '\u001b(B',
  '\u009b31m',
  '\u009d0;t\u009c',
  'a\tb\b\b',
  'safe\r\u001b[2Krm',
];
const WORDS = [
  'plain',
  'ünï',
  '日本',
  '👩\u200d👩\u200d👧',
  '🏴\u{e0067}\u{e0062}\u{e007f}',
  'می\u200cخواهم',
  '\n',
  ' ',
  '\u202eabc',
];

describe('InertStream', () => {
  it('GT-20: a sequence split across pieces at any place never gets through', () => {
    for (const sequence of SEQUENCES) {
      const text = `before ${sequence} after\n`;
      for (const pieces of cuts(text)) expect(stream(pieces), JSON.stringify(pieces)).toBe(stripControls(text));
    }
  });

  it('GT-20: joiners in words and emoji stay, wherever the text is split', () => {
    for (const word of WORDS) {
      const text = `x ${word} y`;
      for (const pieces of cuts(text)) expect(stream(pieces), JSON.stringify(pieces)).toBe(stripControls(text));
    }
  });

  it('GT-20: any text in any pieces comes out inert', () => {
    const part = fc.constantFrom(
      ...SEQUENCES,
      ...WORDS,
      '\u001b',
      '[',
      ']',
      '\u0007',
      '\u200d',
      '\u{1f3f4}',
      'm',
      ';',
      '0',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(6), { maxLength: 20 }), (parts, sizes) => {
        const text = parts.join('');
        const pieces: string[] = [];
        let at = 0;
        for (const size of sizes) {
          pieces.push(text.slice(at, at + size));
          at += size;
        }
        pieces.push(text.slice(at));
        const shown = stream(pieces);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there.
        expect(shown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      }),
      { numRuns: 500 },
    );
  });

  it('GT-20: plain text is released at once, not held until the end', () => {
    const inert = new InertStream();
    expect(inert.push('Hello')).toBe('Hello');
    expect(inert.push(' wor')).toBe(' wor');
  });

  it('GT-20: a sequence that never ends holds only its own line', () => {
    const inert = new InertStream();
    let shown = inert.push('a\u001b]0;');
    for (let n = 0; n < 5_000; n += 1) shown += inert.push('xxxx');
    shown += inert.push('\nnext');
    expect(shown).toBe('a\nnext');
  });
});
