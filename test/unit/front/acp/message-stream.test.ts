/** CL-8: lines of an editor: those that can be used are messages, the others are answered and skipped. */

import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { messageStream } from '../../../../src/front/acp/message-stream.js';

async function read(pieces: readonly (string | Buffer)[], longestLine = 20) {
  const answers: { id: unknown; error: { code: number; message: string } }[] = [];
  const { readable } = messageStream({
    input: Readable.from(
      pieces.map((piece) => Buffer.from(piece)),
      { objectMode: false },
    ),
    write: async (text) => void answers.push(JSON.parse(text)),
    longestLine,
  });
  const messages: unknown[] = [];
  for await (const message of readable as unknown as AsyncIterable<unknown>) messages.push(message);
  return { messages, codes: answers.map(({ error }) => error.code), answers };
}

describe('messageStream', () => {
  it('CL-8: lines come whole, wherever the pieces end, also the last without its end', async () => {
    const { messages, codes } = await read(['{"a"', ':1}\n{"b":2}', '\n\r\n{"c":"', Buffer.from('é').subarray(0, 1)]);
    expect(messages).toEqual([{ a: 1 }, { b: 2 }]);
    expect(codes).toEqual([-32700]);
    const split = Buffer.from('{"c":"é"}');
    expect((await read([split.subarray(0, 7), split.subarray(7)])).messages).toEqual([{ c: 'é' }]);
  });

  it.each([
    ['in one piece', [`{"x":"${'y'.repeat(100)}"}\n{"a":1}\n`]],
    ['in many pieces', [...`{"x":"${'y'.repeat(100)}"}\n{"a":1}\n`]],
    ['just one too many', [`"${'y'.repeat(19)}"\n{"a":1}\n`]],
    ['without an end', ['{"a":1}\n', 'y'.repeat(15), 'y'.repeat(15)]],
  ])('CL-8: a line that is too long, %s, is answered once and skipped', async (_, pieces) => {
    const { messages, answers } = await read(pieces);
    expect(messages).toEqual([{ a: 1 }]);
    expect(answers).toMatchObject([
      { id: null, error: { code: -32600, message: expect.stringContaining('20 bytes') } },
    ]);
  });

  it('CL-8: what is no object is answered, and a batch is not taken apart', async () => {
    const { messages, codes } = await read(['{\n', '5\n', 'null\n', '[{"a":1}]\n', '"x"\n', '{"a":1}\n']);
    expect(messages).toEqual([{ a: 1 }]);
    expect(codes).toEqual([-32700, -32600, -32600, -32600, -32600]);
  });

  it('CL-8: an input that breaks ends like one that is closed', async () => {
    const input = new Readable({ read() {} });
    input.push('{"a":1}\n');
    const { readable } = messageStream({ input, write: async () => {} });
    const reader = readable.getReader();
    expect(await reader.read()).toEqual({ done: false, value: { a: 1 } });
    input.destroy(new Error('EIO'));
    expect((await reader.read()).done).toBe(true);
  });
});
