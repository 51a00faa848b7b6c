/** What the tests of hook-approvals.test.ts share with those of test:long. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { approvalOf } from '../../../src/config/approvals/project-hooks.js';
import { openTrust } from '../../../src/config/trust.js';
import { findHooksHere } from '../../../src/front/cli/find-hooks.js';
import { nodeHost } from '../../../src/host/node-host.js';
import type { Stage } from '../../support/story.js';

export const host = (stage: Stage) => nodeHost(stage.folder, stage.env);

export const projectHooks = (hook: object) =>
  JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] } });

export const touch = [
  { when: { nth: 1 }, reply: [{ tool: 'Bash', input: { command: 'touch made' } }] },
  { reply: 'done' },
] as const;

export async function found(stage: Stage) {
  const { folder } = stage;
  return (await findHooksHere({ host: host(stage), folder, projectRoot: folder, isTrusted: true })).hooks;
}

/** What a yes at the terminal stores. */
export async function approve(stage: Stage): Promise<void> {
  await openTrust(host(stage)).trust(stage.folder);
  await openTrust(host(stage)).approve(stage.folder, (await found(stage)).map(approvalOf));
}

export async function run(stage: Stage): Promise<readonly string[]> {
  const session = await stage.open({ permissionMode: 'bypassPermissions' });
  await session.send('Go.');
  await session.close();
  return session.warnings.filter((line) => line.includes('not approved'));
}

export const wasMade = ({ folder }: Stage) => existsSync(join(folder, 'made'));
