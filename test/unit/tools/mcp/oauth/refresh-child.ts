/** A process that asks for a token as a session does: waits for a line, reports that the old one was refused, says the new. */

import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { nodeHost } from '../../../../../src/host/node-host.js';
import { openAuth } from '../../../../../src/tools/mcp/oauth/open-auth.js';

const [, , home = '', url = ''] = process.argv;
const host = nodeHost(home, { HOME: home });
const auth = openAuth({ server: { name: 'guarded', config: { kind: 'http', url, headers: {} } }, host });
const lines = createInterface(process.stdin);
const before = await auth.token();
process.stdout.write('ready\n');
await once(lines, 'line');
try {
  const context = { response: new Response(null, { status: 401 }), serverUrl: new URL(url), fetchFn: fetch };
  await auth.onUnauthorized?.(context);
  process.stdout.write(`${JSON.stringify({ before, after: await auth.token() })}\n`);
} catch (error) {
  process.stdout.write(`${JSON.stringify({ before, error: String(error) })}\n`);
}
lines.close();
