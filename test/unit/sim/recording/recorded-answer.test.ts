/** SF-12: answers as they are recorded and played. */

import { describe, expect, it } from 'vitest';
import { expandAnswer, recordAnswer } from '../../../../src/sim/recording/recorded-answer.js';
import { Templater } from '../../../../src/sim/recording/templater.js';
import { Bindings, Trial, unifyText } from '../../../../src/sim/recording/unify.js';
import fc from '../../../support/fast-check.js';

const FOLDER = '/home/ann/work';
const SECRET = ['sk-', 'ant-api03-', 'abcdefgh12345678'].join('');
const NONE: ReadonlySet<string> = new Set();
const nowOf = (name: string) => (name === 'folder' ? '/w "x"' : `<${name}>`);

const event = (data: object & { readonly type: string }) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const delta = (index: number, part: object) => {
  const data = { type: 'content_block_delta', index, delta: part };
  return event(data);
};
const text = (index: number, ...parts: string[]) =>
  parts.map((part) => delta(index, { type: 'text_delta', text: part })).join('');
const json = (index: number, ...parts: string[]) =>
  parts.map((part) => delta(index, { type: 'input_json_delta', partial_json: part })).join('');

const templater = () => new Templater({ folder: FOLDER });
const recorded = (body: string) => recordAnswer(body, templater(), NONE);

/** The text a client reads: the pieces of each block, joined. */
function read(body: string): Record<string, string> {
  const blocks: Record<string, string> = {};
  for (const line of body.split('\n')) {
    if (!line.startsWith('data: ')) continue;
    const data = JSON.parse(line.slice(6)) as { index: number; delta?: { text?: string; partial_json?: string } };
    blocks[data.index] = `${blocks[data.index] ?? ''}${data.delta?.text ?? data.delta?.partial_json ?? ''}`;
  }
  return blocks;
}

describe('SF-12: recorded answers', () => {
  it('SF-12: a stream in which nothing varies stays as it was, byte for byte', () => {
    const body = `${event({ type: 'message_start' })}${text(0, 'Hel', 'lo')}event: ping\ndata: {"type": "ping"}\n\n${json(1, '{"a": ', '1}')}`;
    expect(recorded(body)).toBe(body);
    expect(expandAnswer(body, nowOf)).toBe(body);
  });

  it('SF-12: a value split over pieces is found, and only that block is joined', () => {
    const body = `${text(0, 'in /home', '/ann/wo', 'rk/a')}${text(1, 'no', 'thing')}${text(2, 'key sk-', 'ant-api03-abc', 'defgh12345678!')}`;
    const made = recorded(body);
    expect(made).toBe(
      `${text(0, 'in {{coppice:folder}}/a')}${text(1, 'no', 'thing')}${text(2, 'key {{coppice:secret-1}}!')}`,
    );
    expect(made).not.toContain('api03');
    expect(read(expandAnswer(made, nowOf))[0]).toBe('in /w "x"/a');
  });

  it('SF-12: the input of a call is JSON before and after, whatever is in the value', () => {
    const made = recorded(json(0, '{"path": "/home/', 'ann/work/a", "token": "aaaabbbbcccc"', '}'));
    const played = JSON.parse(read(expandAnswer(made, nowOf))[0] ?? '');
    expect(played).toEqual({ path: '/w "x"/a', token: '<secret-1>' });
    const cut = recorded(json(0, '{"path": "/home/', 'ann/work/a'));
    expect(read(expandAnswer(cut, nowOf))[0]).toBe('{"path": "/w \\"x\\"/a');
  });

  it('SF-12: an error and text that is neither are recorded too', () => {
    const error = JSON.stringify({ type: 'error', error: { message: `bad key ${SECRET} in ${FOLDER}` } });
    expect(recorded(error)).toBe(
      '{"type":"error","error":{"message":"bad key {{coppice:secret-1}} in {{coppice:folder}}"}}',
    );
    expect(JSON.parse(expandAnswer(recorded(error), nowOf)).error.message).toBe('bad key <secret-1> in /w "x"');
    expect(recorded(`<p>${SECRET} in ${FOLDER}</p>`)).toBe('<p>{{coppice:secret-1}} in {{coppice:folder}}</p>');
  });

  it('SF-12: ids are those in the request, dates are the model’s own text', () => {
    const told = templater();
    told.ofText('agentId: 0123456789abcdef0');
    const body = text(0, '0123456789abcdef0 and fedcba98765432100. Today is 2026-01-02.');
    expect(read(recordAnswer(body, told, new Set(['agent-1'])))[0]).toBe(
      '{{coppice:agent-1}} and fedcba98765432100. Today is 2026-01-02.',
    );
  });

  it('SF-12: however a text is torn, it comes out whole and without the secret', () => {
    const pieces = fc.array(fc.constantFrom(FOLDER, SECRET, 'x', ' ', '{{coppice:', '"', '\\', '\n', '€'), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(60), { maxLength: 6 }), (all, cuts) => {
        const whole = all.join('');
        const at = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length];
        const parts = at.slice(1).map((end, index) => whole.slice(at[index], end));
        const made = recorded(text(0, ...parts));
        expect(made).not.toContain(SECRET);
        const bindings = new Bindings({ folder: FOLDER });
        expect(unifyText(read(made)[0] ?? '', whole, new Trial(bindings)), made).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
