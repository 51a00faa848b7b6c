import { describe, expect, it } from 'vitest';
import { composeClient } from '../../../src/model/compose-client.js';
import type { ModelFault } from '../../../src/model/fault.js';
import type { ModelClient, ModelEvent } from '../../../src/model/model-client.js';
import type { ModelRequest } from '../../../src/model/request.js';
import { NO_USAGE } from '../../../src/protocol/usage.js';
import { ManualClock } from '../../support/hosts/manual-clock.js';

const request = { prefix: { model: 'm' } } as ModelRequest;
const BEGAN: ModelEvent = { type: 'response-began', id: 'r', model: 'm', usage: NO_USAGE };
const TEXT: ModelEvent = { type: 'text-streamed', index: 0, text: 'half a ' };
const FINISHED: ModelEvent = { type: 'response-finished', stop: 'end_turn', usage: NO_USAGE };

type Attempt = (signal: AbortSignal) => AsyncIterable<ModelEvent>;

/** A client that goes through the given attempts; the last one is repeated. */
function scripted(...attempts: readonly Attempt[]) {
  const signals: AbortSignal[] = [];
  const client: ModelClient = {
    request: (_, signal) => {
      const attempt = attempts[Math.min(signals.length, attempts.length - 1)];
      signals.push(signal);
      if (attempt === undefined) throw new Error('no attempt');
      return attempt(signal);
    },
  };
  return { client, signals };
}

const yields = (...events: readonly ModelEvent[]): Attempt =>
  async function* () {
    yield* events;
  };
const faults = (fault: ModelFault): Attempt => yields({ type: 'fault', fault });

function compose(client: ModelClient, maxRetries = 0) {
  const clock = new ManualClock();
  const composed = composeClient(client, { clock, random: () => 0.5, contentLength: () => 10, maxRetries });
  const drain = async (signal = new AbortController().signal) => {
    const events: ModelEvent[] = [];
    for await (const event of composed.request(request, signal)) events.push(event);
    return events;
  };
  return { clock, composed, drain };
}

const cut = (reason: string) => ({
  type: 'fault',
  fault: { kind: 'stream-cut', message: expect.stringContaining(reason) },
});
const ABORTED = { type: 'fault', fault: { kind: 'aborted', message: 'interrupted' } };

describe('a composed client fulfils the contract, whatever the client does', () => {
  it.each<[string, Attempt, readonly unknown[]]>([
    [
      'throws at once',
      () => {
        throw new Error('out of paper');
      },
      [cut('out of paper')],
    ],
    [
      'throws in mid-stream',
      async function* () {
        yield BEGAN;
        yield TEXT;
        throw new Error('the cable fell out');
      },
      [BEGAN, TEXT, cut('the cable fell out')],
    ],
    ['gives no stream', () => undefined as never, [cut('failed')]],
    ['ends at once', yields(), [cut('before the response was complete')]],
    ['ends without an end', yields(BEGAN, TEXT), [BEGAN, TEXT, cut('before the response was complete')]],
    ['goes on after its end', yields(BEGAN, FINISHED, TEXT, FINISHED), [BEGAN, FINISHED]],
    [
      'goes on after a fault',
      yields({ type: 'fault', fault: { kind: 'unauthorized', message: 'no' } }, TEXT),
      [{ type: 'fault', fault: { kind: 'unauthorized', message: 'no' } }],
    ],
  ])('LC-23: one that %s', async (_name, attempt, expected) => {
    const { client, signals } = scripted(attempt);
    const { clock, drain } = compose(client);
    expect(await clock.runWhile(drain())).toEqual(expected);
    await clock.settle();
    // Nothing of it continues.
    expect(signals.map((signal) => signal.aborted)).toEqual([true]);
  });

  it('LC-23: one that throws is tried again, like any stream that broke off', async () => {
    const { client } = scripted(
      () => {
        throw new Error('once');
      },
      yields(BEGAN, FINISHED),
    );
    const { clock, drain } = compose(client, 3);
    const events = await clock.runWhile(drain());
    expect(events.map((event) => event.type)).toEqual(['retry-scheduled', 'response-began', 'response-finished']);
  });

  it('LC-2: one that does not hear of an abort is left behind within a second', async () => {
    const never: Attempt = async function* () {
      yield BEGAN;
      await new Promise(() => {});
    };
    const deaf: Attempt = async function* () {
      for (;;) {
        yield TEXT;
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    for (const attempt of [never, deaf]) {
      const { client, signals } = scripted(attempt);
      const { clock, drain } = compose(client, 5);
      const abort = new AbortController();
      const events = drain(abort.signal);
      await clock.settle();
      abort.abort();
      await clock.advance(1_000);
      expect((await events).at(-1)).toEqual(ABORTED);
      expect(signals.map((signal) => signal.aborted)).toEqual([true]);
    }
  });

  it('LC-2: whatever an aborted client sends last, the stream ends with the abort', async () => {
    const broken: Attempt = async function* (signal) {
      yield BEGAN;
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      throw new Error('socket closed');
    };
    const { client, signals } = scripted(broken);
    const { clock, drain } = compose(client, 5);
    const abort = new AbortController();
    const events = drain(abort.signal);
    await clock.settle();
    abort.abort();
    expect(await clock.runWhile(events)).toEqual([BEGAN, ABORTED]);
    expect(signals).toHaveLength(1);
  });

  it('LC-2: a client is not asked at all once the signal has aborted', async () => {
    const { client, signals } = scripted(yields(BEGAN, FINISHED));
    const { drain } = compose(client);
    expect(await drain(AbortSignal.abort())).toMatchObject([{ fault: { kind: 'aborted', unsent: true } }]);
    expect(signals).toHaveLength(0);
  });

  it('a reader who leaves in mid-stream ends the client and lets others by', async () => {
    let closed = false;
    const endless: Attempt = async function* () {
      try {
        for (;;) yield TEXT;
      } finally {
        closed = true;
      }
    };
    const limited: ModelFault = { kind: 'rate-limited', message: 'slow down', retryAfterMs: 1_000 };
    const { client, signals } = scripted(faults(limited), endless, yields(BEGAN, FINISHED));
    const { clock, composed, drain } = compose(client, 5);
    // The key is limited, so that the one who leaves is the one all others wait for.
    const leaves = (async () => {
      for await (const event of composed.request(request, new AbortController().signal)) {
        if (event.type === 'text-streamed') return;
      }
    })();
    await clock.settle();
    const other = drain();
    await clock.advance(1_000);
    await leaves;
    await clock.settle();
    expect(closed).toBe(true);
    expect(signals[1]?.aborted).toBe(true);
    expect((await other).at(-1)).toEqual(FINISHED);
  });
});

describe('a reader who leaves a composed client', () => {
  it('stops a client whose own clean-up hangs', async () => {
    const hangs: Attempt = () => ({
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: TEXT }),
        return: () => new Promise(() => {}),
      }),
    });
    const { client, signals } = scripted(hangs);
    const { composed } = compose(client);
    for await (const _ of composed.request(request, new AbortController().signal)) break;
    expect(signals.map((signal) => signal.aborted)).toEqual([true]);
  });
});

describe('retries of a composed client', () => {
  it('LC-23: a passing fault and then success', async () => {
    const { client } = scripted(faults({ kind: 'server-error', message: 'oops' }), yields(BEGAN, TEXT, FINISHED));
    const { clock, drain } = compose(client, 2);
    const events = await clock.runWhile(drain());
    expect(events.map((event) => event.type)).toEqual([
      'retry-scheduled',
      'response-began',
      'text-streamed',
      'response-finished',
    ]);
  });

  it('LC-23: a client that retries itself is not retried', async () => {
    const fault: ModelFault = { kind: 'overloaded', message: 'busy' };
    const own = yields({ type: 'retry-scheduled', fault, attempt: 1, delayMs: 5 }, { type: 'fault', fault });
    const { client, signals } = scripted(own);
    const { clock, drain } = compose(client, 5);
    const events = await clock.runWhile(drain());
    expect(events.map((event) => event.type)).toEqual(['retry-scheduled', 'fault']);
    expect(signals).toHaveLength(1);
  });

  it('LC-23: a limit pauses the whole key: another request waits for it too, and goes second', async () => {
    const limited: ModelFault = { kind: 'rate-limited', message: 'slow down', retryAfterMs: 5_000 };
    const { client, signals } = scripted(faults(limited), yields(BEGAN, FINISHED));
    const { clock, drain } = compose(client, 5);
    const first = drain();
    await clock.settle();
    const second = drain();
    await clock.advance(4_999);
    expect(signals).toHaveLength(1);
    await clock.advance(1);
    await clock.settle();
    expect(signals).toHaveLength(3);
    expect((await first).map((event) => event.type)).toEqual([
      'retry-scheduled',
      'response-began',
      'response-finished',
    ]);
    expect((await second).map((event) => event.type)).toEqual(['response-began', 'response-finished']);
  });

  it('LC-23: a reply without a start releases others: no request waits forever', async () => {
    const limited: ModelFault = { kind: 'rate-limited', message: 'slow down', retryAfterMs: 1_000 };
    const { client } = scripted(faults(limited), yields(FINISHED));
    const { clock, drain } = compose(client, 5);
    const first = drain();
    await clock.settle();
    const second = drain();
    await clock.runWhile(first);
    expect(await clock.runWhile(second)).toEqual([FINISHED]);
  });
});
