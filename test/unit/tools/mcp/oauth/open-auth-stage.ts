/** What the tests of open-auth.test.ts share with those of test:long. */

import { readFile } from 'node:fs/promises';
import { coppiceHome, signInFile } from '../../../../../src/config/paths.js';
import { type SignInStage, setSignInStage } from '../../../../support/mcp/authorisation-server.js';
import { act, makeHost, remote } from '../../../../support/mcp/sign-in-actor.js';

export async function signedIn(change: (stage: SignInStage) => void = () => {}) {
  const stage = await setSignInStage();
  change(stage);
  const host = await makeHost();
  const server = remote(stage.mcpUrl);
  const { outcome } = await act({ server, host });
  if (!outcome.ok) throw new Error(outcome.reason);
  const file = signInFile(coppiceHome(host.env), stage.mcpUrl);
  const kept = async () => JSON.parse(await readFile(file, 'utf8'));
  return { stage, host, server, file, kept, refreshes: () => stage.requests('/token').length - 1 };
}
