/** What the tests of login.test.ts share with those of test:long. */

import { setSignInStage } from '../../../support/mcp/authorisation-server.js';
import { setPlainStage } from '../plain/plain-stage.js';

export async function setLoginStage(oauth: object = {}) {
  const servers = await setSignInStage();
  const stage = await setPlainStage([]);
  await stage.settings({
    mcpServers: {
      guarded: { type: 'http', url: servers.mcpUrl, oauth },
      local: { command: 'true' },
    },
  });
  const login = (...args: readonly string[]) => ['mcp', 'login', 'guarded', ...args];
  return { ...stage, servers, login };
}

/** What is printed, broken into rows or not. */
export function addressIn(text: string, issuer: string): string {
  const begin = text.indexOf(`${issuer}/authorize?`);
  return text.slice(begin).split(/\s/)[0] ?? '';
}
