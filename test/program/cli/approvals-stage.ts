/** What the tests of approvals.test.ts share with those of test:long. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openTrust } from '../../../src/config/trust.js';
import { nodeHost } from '../../../src/host/node-host.js';
import type { Stage } from '../../support/story.js';

export const hook = (command: string, more: object = {}) => ({ type: 'command', command, ...more });

export const atStart = (...hooks: object[]) => JSON.stringify({ hooks: { SessionStart: [{ hooks }] } });

export const REPLY = [{ reply: 'Hello.' }];

export const exists = (stage: Stage, name: string) =>
  readFile(join(stage.folder, name)).then(
    () => true,
    () => false,
  );

/** As a version that knew no approvals left it. */
export const trust = (stage: Stage) => openTrust(nodeHost(stage.folder, stage.env)).trust(stage.folder);
