/** The server: access, endpoints, streams, what is kept of requests, closing. */

import { afterEach, describe, expect, it } from 'vitest';
import { errorOf, post, requestOf, user } from '../../unit/sim/ask.js';
import { hello, sim, start } from '../../unit/sim/start-sim-stage.js';

afterEach(() => sim.close());

describe('SF-9: access and endpoints', () => {
  it('SF-10: a body over 32 MB is too large', async () => {
    await start({ scenario: hello });
    const response = await post(sim.url, requestOf([user('x'.repeat(33 * 1024 * 1024))]));
    expect(await errorOf(response)).toMatchObject({ status: 413, type: 'request_too_large' });
  });
});
