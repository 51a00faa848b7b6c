import { describe, expect, it } from 'vitest';
import { contentLength } from '../../../src/model/anthropic/body.js';
import { freezePrefix } from '../../../src/model/anthropic/prefix.js';
import { withBodyBudget } from '../../../src/model/compose-client.js';
import type { ModelClient, ModelEvent } from '../../../src/model/model-client.js';
import type { ModelRequest } from '../../../src/model/request.js';
import { freezeBlock } from '../../../src/protocol/frozen-block.js';
import { History } from '../../../src/protocol/history.js';

const prefix = freezePrefix({ model: 'm', tools: [], system: ['s'] });
const never = new AbortController().signal;
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

function parts(characters: number): ModelRequest {
  const blocks = [freezeBlock({ type: 'text', text: 'x'.repeat(characters) })];
  const history = History.of([{ role: 'user', blocks }]);
  return { prefix, history, maxTokens: 1, cacheLifetime: '5m', breakpoints: [] };
}

/** A client whose requests end on demand. */
function heldClient() {
  const open: (() => void)[] = [];
  const client: ModelClient = {
    async *request() {
      await new Promise<void>((resolve) => open.push(resolve));
      yield { type: 'fault', fault: { kind: 'server-error', message: 'ended' } };
    },
  };
  return { open, client };
}

async function drain(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const all: ModelEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe('body budget', () => {
  it('FK-8: the bytes of requests in flight are limited; more requests wait in order', async () => {
    const { open, client } = heldClient();
    const size = contentLength(parts(1_000));
    const bounded = withBodyBudget(client, { contentLength, maxBytes: size * 2 });
    const ends = [1, 2, 3, 4].map(() => drain(bounded.request(parts(1_000), never)));
    await tick();
    expect(open).toHaveLength(2);
    open[0]?.();
    await ends[0];
    await tick();
    expect(open).toHaveLength(3);
    for (const end of open) end();
    await tick();
    open[3]?.();
    expect((await Promise.all(ends)).map(([event]) => event?.type)).toEqual(['fault', 'fault', 'fault', 'fault']);
  });

  it('FK-8: one that is larger than all there may be goes when nothing else does', async () => {
    const { open, client } = heldClient();
    const bounded = withBodyBudget(client, { contentLength, maxBytes: 500 });
    const big = drain(bounded.request(parts(5_000), never));
    const next = drain(bounded.request(parts(10), never));
    await tick();
    expect(open).toHaveLength(1);
    open[0]?.();
    await big;
    await tick();
    open[1]?.();
    await next;
  });

  it('LC-2: one that waits is gone as soon as it is aborted, and lets the others by', async () => {
    const { open, client } = heldClient();
    const bounded = withBodyBudget(client, { contentLength, maxBytes: 500 });
    const first = drain(bounded.request(parts(400), never));
    const abort = new AbortController();
    const waiting = drain(bounded.request(parts(400), abort.signal));
    const last = drain(bounded.request(parts(400), never));
    await tick();
    abort.abort();
    expect(await waiting).toEqual([
      { type: 'fault', fault: { kind: 'aborted', message: 'interrupted', unsent: true } },
    ]);
    open[0]?.();
    await first;
    await tick();
    open[1]?.();
    expect(await last).toHaveLength(1);
  });
});
