/** What the tests of approvals.test.ts share with those of test:long. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { approvalOf } from '../../../src/config/approvals/project-hooks.js';
import { openTrust } from '../../../src/config/trust.js';
import { findHooksHere } from '../../../src/front/cli/find-hooks.js';
import { nodeHost } from '../../../src/host/node-host.js';
import type { Stage } from '../../support/story.js';
import { begin, script } from '../agents/agents-script.js';

export const bash = (command: string) => ({ tool: 'Bash', input: { command } });

export const write = (path: string, content: string) => ({ tool: 'Write', input: { file_path: path, content } });

export const read = (path: string) => ({ tool: 'Read', input: { file_path: path } });

export const hook = (command: string, more: object = {}) => ({ type: 'command', command, ...more });

export const onCall = (...hooks: object[]) => JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks }] } });

export const host = (stage: Stage) => nodeHost(stage.folder, stage.env);

/** The folder is trusted, as by versions that knew no approvals. */
export async function trust(stage: Stage): Promise<void> {
  await openTrust(host(stage)).trust(stage.folder);
}

/** What a yes at the terminal stores: every hook that is there now. */
export async function approveAll(stage: Stage): Promise<void> {
  const folder = stage.folder;
  const { hooks } = await findHooksHere({ host: host(stage), folder, projectRoot: folder, isTrusted: true });
  await openTrust(host(stage)).approve(folder, hooks.map(approvalOf));
}

export const MARK = 'touch "$CLAUDE_PROJECT_DIR/hooked"';

export const exists = (path: string) =>
  readFile(path).then(
    () => true,
    () => false,
  );

export const isHooked = (stage: Stage) => exists(join(stage.folder, 'hooked'));

export const notApproved = (lines: readonly string[]) => lines.filter((line) => line.includes('not approved'));

/** One prompt with one call, and the lines about hooks that don't run. */
export async function run(stage: Stage, options: Parameters<Stage['open']>[0] = {}): Promise<readonly string[]> {
  stage.sim.use(script({ main: [[bash('ls')], 'done'] }));
  const session = await stage.open(options);
  await session.send(begin());
  await session.close();
  return notApproved(session.warnings);
}
