/** Recording a run, and playing it back. */

import { afterEach, describe, expect, it } from 'vitest';
import { parseRecording, type Replay, startRecorder, startReplay, startSim } from '../../src/sim/index.js';
import { errorOf, HEADERS, post, requestOf, sdk, user } from './ask.js';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const KEY = 'a-key-of-a-gateway';
const OTHER_KEY = 'sk-ant-somebody-elses';
const ask = (text: string) => ({
  model: 'claude-opus-5-5',
  max_tokens: 100,
  messages: [{ role: 'user' as const, content: text }],
});

/** Records a small run against the simulated model, in the place of a real one. */
async function record(): Promise<string> {
  const sim = await startSim({
    scenario: [
      { when: { user: 'busy' }, fault: { kind: 'overloaded', retryAfter: 2 } },
      { reply: [{ thinking: 'hm' }, 'Grün \u{1f333}: {{user}}', { tool: 'Read' }] },
    ],
  });
  const lines: string[] = [];
  const recorder = await startRecorder({ upstream: sim.url, write: (line) => void lines.push(line) });
  const client = sdk(recorder.url, KEY);
  await client.messages.stream(ask(`first, with ${KEY}`)).finalMessage();
  await client.messages.create(ask('second'));
  await client.messages.create(ask(`third, with ${OTHER_KEY}`));
  await expect(client.messages.create(ask('busy'))).rejects.toMatchObject({ status: 529 });
  await recorder.close();
  await sim.close();
  return lines.join('');
}

async function replay(text: string, chunk?: { seed: number }): Promise<Replay> {
  const parsed = parseRecording(text, 'run.jsonl');
  if (!parsed.ok) throw new Error(parsed.mistake);
  const playing = await startReplay({ exchanges: parsed.exchanges, chunk });
  closers.push(() => playing.close());
  return playing;
}

describe('SF-12: record and replay', () => {
  it('SF-12: a recording holds the traffic and no key', async () => {
    const text = await record();
    expect(text).not.toContain(KEY);
    expect(text).not.toContain(OTHER_KEY);
    expect(text).not.toMatch(/x-api-key|authorization/i);
    expect(text).toContain('first, with [key removed]');
    expect(text.trim().split('\n')).toHaveLength(4);
  });

  it('SF-12: played back, the same requests get the same answers, in any order, torn or not', async () => {
    const text = (await record()).replaceAll('[key removed]', 'a key');
    const playing = await replay(text, { seed: 3 });
    const client = sdk(playing.url);
    const second = await client.messages.create({ ...ask('second'), metadata: { user_id: 'another session' } });
    expect(second.content).toMatchObject([{ type: 'thinking' }, { text: 'Grün \u{1f333}: second' }, { name: 'Read' }]);
    const first = await client.messages.stream(ask('first, with a key')).finalMessage();
    expect(first.content[1]).toMatchObject({ text: 'Grün \u{1f333}: first, with a key' });
    const busy = await post(playing.url, ask('busy'));
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([529, '2']);
    expect([playing.played(), playing.difference()]).toEqual([3, undefined]);
  });

  it('SF-12: the first request that differs fails, with the difference, and so does what follows', async () => {
    const playing = await replay(await record());
    const response = await post(playing.url, { ...ask(`first, with [key removed]`), stream: true, max_tokens: 99 });
    expect(response.headers.get('x-should-retry')).toBe('false');
    const { status, message } = await errorOf(response);
    expect(status).toBe(500);
    expect(message.split('\n')).toEqual([
      'Request 1 of 4 differs from the recording at body.max_tokens',
      '  recorded: 100',
      '  now:      99',
    ]);
    expect((await errorOf(await post(playing.url, ask('second')))).message).toBe(message);
    expect([playing.played(), playing.difference()]).toEqual([0, message]);
  });

  it('SF-12: of long texts the place is shown where they part', async () => {
    const playing = await replay(await record());
    const { message } = await errorOf(await post(playing.url, { ...ask('first, without'), stream: true }));
    expect(message).toContain('at body.messages.0.content, from character 11');
    expect(message).toContain('now:      "first, without"');
  });

  it('SF-12: one request more than recorded is a difference too', async () => {
    const playing = await replay('');
    const { message } = await errorOf(await post(playing.url, ask('more')));
    expect(message).toBe('Request 1 (POST /v1/messages) is not in the recording, which has only 0.');
  });

  it('SF-12: a broken recording is named with its line', () => {
    expect(parseRecording('\n{"request":{}}\n', 'run.jsonl')).toMatchObject({
      ok: false,
      mistake: expect.stringContaining('run.jsonl:2: request.method'),
    });
  });

  it('SF-12: an upstream out of reach is said so', async () => {
    const recorder = await startRecorder({ upstream: 'http://127.0.0.1:1', write: () => {} });
    closers.push(() => recorder.close());
    const response = await post(recorder.url, requestOf([user('hi')]), HEADERS);
    expect((await errorOf(response)).message).toContain('could not connect to http://127.0.0.1:1');
  });
});
