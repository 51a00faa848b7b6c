/** Servers over HTTP: how they are reached, refused, lost and found again. */

import { expect, it } from 'vitest';
import { setStage } from '../../../unit/tools/mcp/connect/connect-stage.js';
import { serveMcp } from '../../../unit/tools/mcp/connect/http-server.js';
import { fast, remote, STREAM } from '../../../unit/tools/mcp/connect/remote-stage.js';

it('MC-14: one that never answers is tried three times by MCP_TIMEOUT', async () => {
  const stage = await setStage(fast, { MCP_TIMEOUT: '900' });
  const silent = await serveMcp(() => true);
  const failed = await stage.connect(remote(silent));
  expect(failed).toMatchObject({ ok: false, kind: 'failed', reason: expect.stringContaining('within 0.9 seconds') });
  expect(silent.count('initialize')).toBe(3);
  const deaf = await serveMcp(
    ({ method, response }) => method === 'GET' && response.writeHead(200, STREAM).flushHeaders() === undefined,
  );
  expect(await stage.connect({ ...remote(deaf), kind: 'sse' })).toMatchObject({
    ok: false,
    reason: expect.stringContaining('within 0.9'),
  });
});
