import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { text } from '../../../src/protocol/blocks.js';
import { failed, outcomeText, succeeded } from '../../../src/protocol/outcome.js';
import { boundOutcome, outputName } from '../../../src/tools/bounds.js';
import fc from '../../support/fast-check.js';
import { makeBench } from './tool-bench.js';

describe('FK-9: results too large for the conversation', () => {
  it('FK-9: are replaced by head, tail and the path of the whole', async () => {
    const bench = await makeBench();
    const whole = Array.from({ length: 20_000 }, (_, i) => `line ${i}`).join('\n');
    const bounded = await boundOutcome(failed(whole), bench.context);
    const said = outcomeText(bounded);
    expect(bounded.isError).toBe(true);
    expect(said.length).toBeLessThanOrEqual(30_000);
    expect(said).toMatch(/^line 0\nline 1\n/);
    expect(said).toMatch(/\nline 19999$/);
    const path = /The full text is in (\S+):/.exec(said)?.[1] ?? '';
    expect(readFileSync(path, 'utf8')).toBe(whole);
  });

  it('FK-9: are replaced once: what was bounded stays as it is', async () => {
    const bench = await makeBench();
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 50 }),
        fc.integer({ min: 0, max: 2_000 }),
        async (piece, times) => {
          const bounded = await boundOutcome(succeeded(piece.repeat(times)), bench.context);
          const said = outcomeText(bounded);
          expect(said.length).toBeLessThanOrEqual(30_000);
          expect(said.trim()).not.toBe('');
          expect(await boundOutcome(bounded, bench.context)).toBe(bounded);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('FK-9: no character is torn', async () => {
    const bench = await makeBench();
    for (const shift of ['', 'x']) {
      const said = outcomeText(await boundOutcome(succeeded(shift + '😀'.repeat(20_000)), bench.context));
      expect(said.isWellFormed()).toBe(true);
    }
  });

  it('FK-9 SF-14: empty and blank results are reported as such', async () => {
    const bench = await makeBench();
    for (const nothing of [succeeded(''), succeeded(' \n\t'), succeeded([]), succeeded([text(''), text('\n')])]) {
      expect(await boundOutcome(nothing, bench.context)).toEqual({ isError: false, content: [text('(no output)')] });
    }
  });

  it('FK-9: pictures stay, the text next to them is bounded; a tool may have its own bound', async () => {
    const bench = await makeBench();
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } } as const;
    const bounded = await boundOutcome(
      succeeded([text('a'.repeat(40_000)), image, text('b'.repeat(40_000))]),
      bench.context,
    );
    expect(bounded.content.map((block) => block.type)).toEqual(['text', 'image']);
    const wide = succeeded('a'.repeat(40_000));
    expect(await boundOutcome(wide, bench.context, 50_000)).toBe(wide);
    expect(outcomeText(await boundOutcome(wide, bench.context, 1_000)).length).toBeLessThanOrEqual(1_000);
  });

  it('FK-9: a disk that refuses does not cost the result', async () => {
    const context = { callId: 'c', keepOutput: () => Promise.reject(new Error('ENOSPC: no space left')) };
    expect(outcomeText(await boundOutcome(succeeded('a'.repeat(40_000)), context))).toContain(
      'could not be saved (ENOSPC',
    );
  });

  it('FK-9: a call id never becomes a path', () => {
    expect(outputName('../../x', 'txt')).toBe('______x.txt');
    expect(outputName('a'.repeat(500), 'txt')).toHaveLength(84);
  });
});
