/** SF-12: a `fetch` that records, and one that replays. */

import { describe, expect, it } from 'vitest';
import { recordFetch } from '../../../../src/sim/recording/record-fetch.js';
import { RecordedOrder } from '../../../../src/sim/recording/recorded-order.js';
import { parseRecording, type RecordedExchange } from '../../../../src/sim/recording/recording.js';
import { replayFetch } from '../../../../src/sim/recording/replay-fetch.js';
import { respondWith, type TrafficFetch } from '../../../../src/sim/recording/traffic-fetch.js';
import { TrafficRecorder } from '../../../../src/sim/recording/traffic-recorder.js';
import { TrafficReplay } from '../../../../src/sim/recording/traffic-replay.js';

const START = 'event: message_start\ndata: {"type":"message_start"}\n\n';
const STOP = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';
const SSE = { 'content-type': 'text/event-stream' };
const URL = 'https://gateway.example/api/v1/messages';
const request = (signal = new AbortController().signal) => ({
  method: 'POST',
  headers: {},
  body: Buffer.from('{}'),
  signal,
});

async function* pieces(...all: (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const piece of all) {
    if (piece instanceof Error) throw piece;
    yield Buffer.from(piece);
  }
}

function setRecorder(fetch: TrafficFetch) {
  const lines: string[] = [];
  const recorder = new TrafficRecorder({ write: (line) => void lines.push(line) });
  const exchanges = async (): Promise<readonly RecordedExchange[]> => {
    await recorder.close();
    const parsed = parseRecording(lines.join(''), 'f');
    return parsed.ok ? parsed.exchanges : [];
  };
  return { fetch: recordFetch(fetch, recorder, () => undefined), exchanges, lines };
}

describe('SF-12: recording', () => {
  it('SF-12: an answer is written before its reader has the end, and is whole though the reader leaves then', async () => {
    const { fetch, exchanges, lines } = setRecorder(async () => respondWith(200, SSE, pieces(START, STOP, 'more')));
    const { body } = await fetch(URL, request());
    for await (const piece of body ?? []) {
      if (!Buffer.from(piece).toString().includes('message_stop')) continue;
      expect(lines).toHaveLength(2);
      break;
    }
    const [exchange] = await exchanges();
    expect(exchange).toMatchObject({ request: { path: '/v1/messages' }, response: { body: `${START}${STOP}` } });
    expect([exchange?.cut, exchange?.broken]).toEqual([undefined, undefined]);
  });

  it('SF-12: who was interrupted before the answer, who left in it, and what broke', async () => {
    const leaving = new AbortController();
    const aborted = setRecorder(async () => {
      leaving.abort();
      throw new Error('aborted');
    });
    await expect(aborted.fetch(URL, request(leaving.signal))).rejects.toThrow('aborted');
    expect(await aborted.exchanges()).toMatchObject([{ cut: true, response: { status: 0 } }]);

    const left = setRecorder(async () => respondWith(200, SSE, pieces(START, 'more')));
    for await (const _ of (await left.fetch(URL, request())).body ?? []) break;
    expect(await left.exchanges()).toMatchObject([{ cut: true, response: { body: START } }]);

    const broken = setRecorder(async () => respondWith(200, SSE, pieces(START, new Error('reset'))));
    await expect((await broken.fetch(URL, request())).text()).rejects.toThrow('reset');
    expect(await broken.exchanges()).toMatchObject([{ broken: 'reset', response: { body: START } }]);

    const refused = setRecorder(async () => {
      throw new Error('no route');
    });
    await expect(refused.fetch(URL, request())).rejects.toThrow('no route');
    expect(await refused.exchanges()).toMatchObject([{ broken: 'no route', response: { status: 0 } }]);
  });
});

function setReplay(...exchanges: Partial<RecordedExchange>[]) {
  const whole = exchanges.map((one, index) => ({
    started: index + 1,
    ended: 10 + index,
    request: { method: 'POST', path: '/v1/messages', headers: {}, body: {} },
    response: { status: 200, headers: SSE, body: `${START}${STOP}` },
    ...one,
  }));
  const sleep = (_: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
  const order = new RecordedOrder({ exchanges: whole, inputs: [], sleep, activity: () => 'calls' });
  const replay = new TrafficReplay({ exchanges: whole });
  const ignore = () => {};
  const fetch = replayFetch({ replay, order, findSender: () => undefined, sleep, onStart: ignore, onEnd: ignore });
  return { fetch, order };
}

describe('SF-12: playing', () => {
  it('SF-12: an answer begins at once, because others wait for that, and ends in its turn', async () => {
    const { fetch } = setReplay({ ended: 11 }, { ended: 10 });
    const reader = (await fetch(URL, request())).body?.[Symbol.asyncIterator]();
    const read = async () => Buffer.from((await reader?.next())?.value ?? '').toString();
    expect(await read()).toBe(START);
    let rest = '';
    const reading = read().then((text) => {
      rest = text;
    });
    expect(rest).toBe('');
    expect(await (await fetch(URL, request())).text()).toBe(`${START}${STOP}`);
    await reading;
    expect(rest).toBe(STOP);
  });

  it('SF-12: what broke breaks again; who was interrupted hears no more until it is', async () => {
    const broken = setReplay({ broken: 'reset', response: { status: 200, headers: SSE, body: START } });
    await expect((await broken.fetch(URL, request())).text()).rejects.toThrow('reset');
    const refused = setReplay({ broken: 'no route', response: { status: 0, headers: {}, body: '' } });
    await expect(refused.fetch(URL, request())).rejects.toThrow('no route');
    const leaving = new AbortController();
    const cut = setReplay({ cut: true, response: { status: 0, headers: {}, body: '' } });
    const asked = cut.fetch(URL, request(leaving.signal));
    await expect(Promise.race([asked, Promise.resolve('waits')])).resolves.toBe('waits');
    leaving.abort();
    await expect(asked).rejects.toThrow('aborted');
  });
});
