/** Text with styles, in rows: words stay whole, and each row opens and closes its own codes. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Span, wrapSpans } from '../../../../../src/front/tui/parts/spans.js';

const style = (text: string) => `\u001b[1m${text}\u001b[22m`;
const marked = (row: string) => row.replaceAll('\u001b[1m', '<').replaceAll('\u001b[22m', '>');
const bare = (row: string) => marked(row).replace(/[<>]/g, '');

test('a style continues in the next row, and is opened and closed in each', () => {
  const spans: Span[] = [{ text: 'one ' }, { text: 'two three', style }, { text: ' four' }];
  expect(wrapSpans(spans, { width: 8 }).map(marked)).toEqual(['one <two>', '<three>', 'four']);
  expect(wrapSpans(spans, { width: 30, first: '- ', rest: '  ' }).map(marked)).toEqual(['- one <two three> four']);
});

test('plain text is cut like text of any letters', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(words, fc.integer({ min: 1, max: 30 }), fc.array(fc.boolean()), (all, width, styled) => {
      const spans = (text: string): Span[] => {
        const parts = text.match(/[\s\S]{1,7}/gu) ?? [];
        return parts.map((part, index) => (styled[index] ? { text: part, style } : { text: part }));
      };
      const text = all.join(' ');
      // `é` is as wide as `e`, and takes the slow path.
      const rows = wrapSpans(spans(text), { width });
      const others = wrapSpans(spans(text.replaceAll('e', 'é').replaceAll('a', 'á').replace(/^./, 'é')), { width });
      expect(rows.map((row) => bare(row).length)).toEqual(others.map((row) => bare(row).length));
    }),
  );
});
