import { describe, expect, it } from 'vitest';
import { type Clock, realClock } from '../../../src/host/clock.js';
import type { ModelFault } from '../../../src/model/fault.js';
import type { ModelClient, ModelEvent } from '../../../src/model/model-client.js';
import type { ModelRequest } from '../../../src/model/request.js';
import { createLimiter, withRetry } from '../../../src/model/retry.js';
import { NO_USAGE } from '../../../src/protocol/usage.js';
import { gate } from '../../support/gate.js';
import { ManualClock } from '../../support/hosts/manual-clock.js';
import { turns, until } from '../../support/until.js';

const parts = { prefix: { model: 'm' } } as ModelRequest;
const limited: ModelFault = { kind: 'rate-limited', message: 'slow down', retryAfterMs: 1_000 };

/** Answers each attempt with the next of the given outcomes; the last one is repeated. */
function scripted(
  outcomes: readonly (ModelFault | 'ok')[],
): ModelClient & { attempts: number; inFlight: number; most: number } {
  const client = {
    attempts: 0,
    inFlight: 0,
    most: 0,
    async *request(): AsyncGenerator<ModelEvent> {
      const outcome = outcomes[Math.min(client.attempts, outcomes.length - 1)] ?? 'ok';
      client.attempts += 1;
      client.inFlight += 1;
      client.most = Math.max(client.most, client.inFlight);
      await new Promise((resolve) => setImmediate(resolve));
      client.inFlight -= 1;
      if (outcome !== 'ok') {
        yield { type: 'fault', fault: outcome };
        return;
      }
      yield { type: 'response-began', id: 'm', model: 'm', usage: NO_USAGE };
      yield { type: 'response-finished', stop: 'end_turn', usage: NO_USAGE };
    },
  };
  return client;
}

async function drain(client: ModelClient, signal = new AbortController().signal): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of client.request(parts, signal)) events.push(event);
  return events;
}

const retrying = (client: ModelClient, clock = new ManualClock(), maxRetries = 8) => ({
  clock,
  client: withRetry(client, { clock, limiter: createLimiter(clock), random: () => 0.5, maxRetries }),
});

describe('retry and limiter', () => {
  it('LC-23: a transient fault is retried and reported; the rest of the stream follows', async () => {
    const { client, clock } = retrying(scripted([{ kind: 'server-error', message: 'oops' }, 'ok']));
    const events = await clock.runWhile(drain(client));
    expect(events.map((event) => event.type)).toEqual(['retry-scheduled', 'response-began', 'response-finished']);
  });

  it('LC-23: retry-after is waited for, no shorter', async () => {
    const { client, clock } = retrying(scripted([limited, 'ok']));
    await clock.runWhile(drain(client));
    expect(clock.elapsed()).toBeGreaterThanOrEqual(1_000);
  });

  it('LC-23: thirty requests of one key don’t storm: after a 429 one goes first', async () => {
    const inner = scripted([limited, limited, limited, 'ok']);
    const clock = new ManualClock();
    const limiter = createLimiter(clock);
    const client = withRetry(inner, { clock, limiter, random: () => 0.5, maxRetries: 20 });
    // The first one learns of the limit before the others come.
    const first = drain(client);
    await clock.settle();
    inner.most = 0;
    const rest = Array.from({ length: 29 }, () => drain(client));
    await clock.settle();
    const before = inner.attempts;
    await clock.advance(1_000);
    await clock.settle();
    expect(inner.attempts - before).toBe(1);
    const all = await clock.runWhile(Promise.all([first, ...rest]));
    expect(all.every((events) => events.at(-1)?.type === 'response-finished')).toBe(true);
    expect(inner.attempts).toBeLessThanOrEqual(34);
  });

  it('LC-23: after a rest one of thirty goes, by the real clock too; the others follow when it is answered', async () => {
    let asleep = 0;
    let slept = 0;
    const began = realClock.elapsed();
    let lag: number | undefined;
    const allRest = gate();
    // It stands still until all rest, however long that takes.
    const clock: Clock = {
      ...realClock,
      elapsed: () => (lag === undefined ? began : realClock.elapsed() - lag),
      sleep: async (ms, signal) => {
        asleep += 1;
        if (asleep === 30) {
          lag = realClock.elapsed() - began;
          allRest.open();
        }
        await allRest.opened;
        await realClock.sleep(ms, signal);
        slept += 1;
      },
    };
    const answered = gate();
    let attempts = 0;
    const inner: ModelClient = {
      async *request() {
        attempts += 1;
        if (attempts === 1) return yield { type: 'fault', fault: { ...limited, retryAfterMs: 50 } };
        await answered.opened;
        yield { type: 'response-began', id: 'm', model: 'm', usage: NO_USAGE };
        yield { type: 'response-finished', stop: 'end_turn', usage: NO_USAGE };
      },
    };
    const client = withRetry(inner, { clock, limiter: createLimiter(clock), random: () => 0.5, maxRetries: 3 });
    const first = drain(client);
    await until(() => attempts === 1, 'the limit is known');
    await turns();
    const all = [first, ...Array.from({ length: 29 }, () => drain(client))];
    await until(() => slept >= 30, 'all have rested');
    await turns(10);
    expect(attempts).toBe(2);
    answered.open();
    for (const events of await Promise.all(all)) expect(events.at(-1)?.type).toBe('response-finished');
    expect(attempts).toBe(31);
  });

  it('LC-23: a fault that no retry cures is given at once', async () => {
    const inner = scripted([{ kind: 'unauthorized', message: 'no' }]);
    const { client, clock } = retrying(inner);
    const events = await clock.runWhile(drain(client));
    expect(events).toEqual([{ type: 'fault', fault: { kind: 'unauthorized', message: 'no' } }]);
    expect(inner.attempts).toBe(1);
  });

  it('LC-23: gives up after the last try with the last fault', async () => {
    const inner = scripted([{ kind: 'overloaded', message: 'busy' }]);
    const { client, clock } = retrying(inner, new ManualClock(), 2);
    const events = await clock.runWhile(drain(client));
    expect(inner.attempts).toBe(3);
    expect(events.at(-1)).toMatchObject({
      fault: { kind: 'overloaded', message: 'busy; gave up after 3 tries' },
    });
  });

  it('LC-23: a server that asks for an hour is not waited for', async () => {
    const { client, clock } = retrying(scripted([{ kind: 'rate-limited', message: 'later', retryAfterMs: 3_600_000 }]));
    const events = await clock.runWhile(drain(client));
    expect(events.map((event) => event.type)).toEqual(['fault']);
  });

  it('LC-23: an abort while waiting ends the wait and frees the door for others', async () => {
    const inner = scripted([limited, 'ok']);
    const clock = realClock;
    const limiter = createLimiter(clock);
    const client = withRetry(inner, { clock, limiter, random: () => 0.5, maxRetries: 8 });
    const abort = new AbortController();
    const waiting = drain(client, abort.signal);
    setTimeout(() => abort.abort(), 20);
    expect((await waiting).at(-1)).toMatchObject({ type: 'fault', fault: { kind: 'aborted', unsent: true } });
    const pass = await limiter.admit('m', new AbortController().signal);
    pass.began();
  });
});

describe('overloads', () => {
  const overloaded: ModelFault = { kind: 'overloaded', message: 'busy', retryAfterMs: 60_000 };
  const on = (model: string) => ({ prefix: { model } }) as ModelRequest;
  /** One model is overloaded or the key limited for good; the others answer. */
  const busy = (fault: ModelFault): ModelClient => ({
    async *request({ prefix }) {
      if (prefix.model === 'a') return yield { type: 'fault', fault };
      yield { type: 'response-began', id: 'm', model: 'm', usage: NO_USAGE };
      yield { type: 'response-finished', stop: 'end_turn', usage: NO_USAGE };
    },
  });
  const { signal } = new AbortController();

  it('CL-2: an overload pauses requests to that model, and no others', async () => {
    const { client, clock } = retrying(busy(overloaded));
    const first = client.request(on('a'), signal)[Symbol.asyncIterator]();
    expect((await first.next()).value).toMatchObject({ type: 'retry-scheduled' });
    const other = client.request(on('b'), signal)[Symbol.asyncIterator]();
    expect((await other.next()).value).toMatchObject({ type: 'response-began' });
    expect(clock.elapsed()).toBe(0);
  });

  it('LC-23: a limit of the key pauses all of them, also after its first reader has left', async () => {
    const { client, clock } = retrying(busy({ ...overloaded, kind: 'rate-limited' }));
    for await (const event of client.request(on('a'), signal)) {
      if (event.type === 'retry-scheduled') break;
    }
    let isAnswered = false;
    const other = drainOf(client, on('b')).then(() => {
      isAnswered = true;
    });
    await clock.advance(59_000);
    await clock.settle();
    expect(isAnswered).toBe(false);
    await clock.runWhile(other);
    expect(clock.elapsed()).toBeGreaterThanOrEqual(60_000);
  });

  it('CL-2: who leaves an overloaded model lets the next ask it at once', async () => {
    const { client, clock } = retrying(busy(overloaded));
    for (let times = 0; times < 2; times += 1) {
      const events = client.request(on('a'), signal)[Symbol.asyncIterator]();
      expect((await events.next()).value).toMatchObject({ type: 'retry-scheduled', attempt: 1 });
      await events.return?.();
    }
    expect(clock.elapsed()).toBe(0);
  });

  async function drainOf(client: ModelClient, request: ModelRequest): Promise<void> {
    for await (const _ of client.request(request, signal)) {
      // Only its end matters.
    }
  }
});
