/** SF-12: recording and replaying as servers, for any client. */

import { afterEach, describe, expect, it } from 'vitest';
import { parseRecording, type Replay, startRecorder, startReplay, startSim } from '../../../../src/sim/index.js';
import { until } from '../../../support/until.js';
import { errorOf, HEADERS, post, requestOf, sdk, user } from '../ask.js';

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
    expect(text).toContain('first, with {{coppice:secret-1}}');
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatchObject({ coppice: 'recording', version: 1 });
  });

  it('SF-12: played back, the same requests get the same answers, in any order, torn or not', async () => {
    const playing = await replay(await record(), { seed: 3 });
    const client = sdk(playing.url);
    const second = await client.messages.create({ ...ask('second'), metadata: { user_id: 'another session' } });
    expect(second.content).toMatchObject([{ type: 'thinking' }, { text: 'Grün \u{1f333}: second' }, { name: 'Read' }]);
    const first = await client.messages.stream(ask('first, with a key')).finalMessage();
    expect(first.content[1]).toMatchObject({ text: 'Grün \u{1f333}: first, with a key' });
    const busy = await post(playing.url, ask('busy'));
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([529, '0']);
    expect([playing.played(), playing.difference()]).toEqual([3, undefined]);
  });

  it('SF-12: the first request that differs fails, with the difference, and so does what follows', async () => {
    const playing = await replay(await record());
    const response = await post(playing.url, { ...ask('first, with a key'), stream: true, max_tokens: 99 });
    expect(response.headers.get('x-should-retry')).toBe('false');
    const { status, message } = await errorOf(response);
    expect(status).toBe(500);
    expect(message.split('\n')).toEqual([
      'Request 1 of 4 differs from the recording at max_tokens',
      '  - 100',
      '  + 99',
      'If the change is meant, record again.',
    ]);
    expect((await errorOf(await post(playing.url, ask('second')))).message).toBe(message);
    expect([playing.played(), playing.difference()]).toEqual([0, message]);
  });

  it('SF-12: the recorded request most alike is compared with, and long lines from where they part', async () => {
    const playing = await replay(await record());
    const { message } = await errorOf(await post(playing.url, ask(`${'third, '.repeat(60)} without`)));
    expect(message).toMatch(/^Request 3 of 4 differs from the recording at messages\[0\] \(user\)/);
    expect(message).toMatch(/\+ …?third, .*…\n/);
  });

  it('SF-12: one request more than recorded is a difference too', async () => {
    const playing = await replay('');
    const { message } = await errorOf(await post(playing.url, ask('more')));
    expect(message).toMatch(/^One request more than recorded: POST \/v1\/messages, “more”, .* which is empty\./);
  });

  it('SF-12: a recording of an earlier version is played as it is', async () => {
    const old = {
      request: { method: 'POST', path: '/v1/messages', headers: {}, body: ask('in /home/ann') },
      response: { status: 200, headers: { 'content-type': 'application/json' }, body: '{"old":true}' },
    };
    const playing = await replay(`${JSON.stringify(old)}\n`);
    expect(await (await post(playing.url, ask('in /home/ann'))).json()).toEqual({ old: true });
    expect(playing.status).toMatchObject({ ok: true, recorded: 1, played: 1 });
  });

  it('SF-12: a client’s folder is found out from its first request, on both sides', async () => {
    const words = (folder: string) => `# Environment\nWorking folder: ${folder}\nPlatform: linux x64`;
    const sim = await startSim({ scenario: [{ reply: 'It is /a/b/c.txt.' }] });
    const lines: string[] = [];
    const recorder = await startRecorder({ upstream: sim.url, write: (line) => void lines.push(line) });
    await sdk(recorder.url, KEY).messages.create(ask(words('/a/b')));
    await recorder.close();
    await sim.close();
    expect(lines.join('')).not.toContain('/a/b');
    const playing = await replay(lines.join(''));
    const answer = await sdk(playing.url).messages.create(ask(words('/elsewhere')));
    expect(answer.content).toMatchObject([{ text: 'It is /elsewhere/c.txt.' }]);
  });

  it('SF-12: a client that left in mid-stream is recorded as such; the replay sends no more than was recorded', async () => {
    const sim = await startSim({ scenario: [{ reply: 'one two three four', delay: { eventMs: 10_000 } }] });
    const lines: string[] = [];
    const recorder = await startRecorder({ upstream: sim.url, write: (line) => void lines.push(line) });
    const leave = new AbortController();
    const response = await post(recorder.url, { ...ask('x'), stream: true }, HEADERS, leave.signal);
    await response.body?.getReader().read();
    leave.abort();
    await until(() => lines.length > 1);
    await recorder.close();
    await sim.close();
    const last = JSON.parse(lines.at(-1) ?? '');
    expect(last).toMatchObject({ cut: true, started: 1, ended: 2, response: { status: 200 } });
    expect(last.response.body).not.toContain('message_stop');
  });

  it('SF-12: a broken recording is named with its line', () => {
    expect(parseRecording('\n{"request":{}}\n', 'run.jsonl')).toMatchObject({
      ok: false,
      mistake: expect.stringContaining('run.jsonl:2: request.method'),
    });
  });

  it('SF-12: an unreachable upstream is reported', async () => {
    const recorder = await startRecorder({ upstream: 'http://127.0.0.1:1', write: () => {} });
    closers.push(() => recorder.close());
    const response = await post(recorder.url, requestOf([user('hi')]), HEADERS);
    expect((await errorOf(response)).message).toContain('could not connect to http://127.0.0.1:1');
  });
});
