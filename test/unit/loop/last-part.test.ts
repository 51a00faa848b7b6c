/** LC-24: the part of a conversation that is summarised when the whole is too long. */

import { expect, it } from 'vitest';
import { lastPart } from '../../../src/loop/compact/last-part.js';
import { estimateHistory } from '../../../src/model/models.js';
import { type ContentBlock, type Role, text } from '../../../src/protocol/blocks.js';
import { freezeBlock, parseBlock } from '../../../src/protocol/frozen-block.js';
import { History, type HistoryView } from '../../../src/protocol/history.js';
import fc from '../../support/fast-check.js';

type Said = { readonly role: Role; readonly blocks: readonly ContentBlock[] };

const historyOf = (messages: readonly Said[]) =>
  History.of(messages.map(({ role, blocks }) => ({ role, blocks: blocks.map(freezeBlock) })));

const said = (history: HistoryView): Said[] =>
  [...history].map(({ role, blocks }) => ({ role, blocks: blocks.map(parseBlock) }));

/** A prompt, and turns of a call and its result, each of about so many tokens. */
function conversation(sizes: readonly (readonly [call: number, result: number])[]): History {
  const words = (tokens: number) => 'word '.repeat(tokens);
  return historyOf([
    { role: 'user', blocks: [text('the prompt')] },
    ...sizes.flatMap(([call, result], index): Said[] => [
      {
        role: 'assistant',
        blocks: [text(`said ${words(call)}`), { type: 'tool_use', id: `c${index}`, name: 'Look', input: {} }],
      },
      {
        role: 'user',
        blocks: [{ type: 'tool_result', tool_use_id: `c${index}`, content: [text(`seen ${words(result)}`)] }],
      },
    ]),
  ]);
}

/** The user first, and each result after its call. */
function expectValid(history: HistoryView): void {
  const messages = said(history);
  expect(messages[0]?.role).toBe('user');
  for (const [index, { blocks }] of messages.entries()) {
    const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
    const calls = messages[index - 1]?.blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])) ?? [];
    if (results.length > 0) expect(results).toEqual(calls);
  }
}

it('LC-24: never begins with a result, for any sizes, and fits', () => {
  const size = fc.nat(400);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(size, size), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 300, max: 3_000 }),
      (sizes, limit) => {
        const part = lastPart(conversation(sizes), limit);
        expectValid(part);
        expect(estimateHistory(part)).toBeLessThan(limit + 300);
      },
    ),
  );
});

it('LC-24: begins with the call if there is no room for what led to it, and notes how much is left out', () => {
  const part = said(
    lastPart(
      conversation([
        [10, 10],
        [400, 10],
        [400, 10],
      ]),
      1_000,
    ),
  );
  expect(part.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  expect(part[0]?.blocks).toEqual([text('[5 earlier messages are left out here: the conversation is too long.]')]);
});

it('LC-24: a conversation that fits is returned whole', () => {
  const whole = conversation([[10, 10]]);
  expect(lastPart(whole, 10_000)).toBe(whole);
});

it('LC-24: an earlier summary stays', () => {
  const messages = said(
    conversation([
      [10, 10],
      [400, 10],
      [400, 10],
    ]),
  );
  const summary = text('<conversation-summary>\nwe spoke of trees\n</conversation-summary>');
  const part = said(lastPart(historyOf([{ role: 'user', blocks: [summary] }, ...messages.slice(1)]), 1_000));
  expect(part[0]?.blocks[0]).toEqual(summary);
});

it('LC-24: for a last result that is too large alone, beginning and end are kept, with its call', () => {
  const part = said(
    lastPart(
      conversation([
        [10, 10],
        [10, 4_000],
      ]),
      500,
    ),
  );
  expectValid(historyOf(part));
  const [result] = part.at(-1)?.blocks ?? [];
  const words = result?.type === 'tool_result' && typeof result.content !== 'string' ? result.content[0] : undefined;
  expect(words).toMatchObject({
    text: expect.stringMatching(/^seen word.*\[… \d+ characters are left out here …\].*word $/s),
  });
});
