/** What the tests of hostile-skills.test.ts share with those of test:long. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of skills are written so.

/** Skills and prompts whose texts somebody wrote on purpose: nothing is read, granted or kept on words that are not the user's. */

import { openTrust } from '../../../src/config/trust.js';
import { nodeHost } from '../../../src/host/node-host.js';
import type { SimRequest } from '../../../src/sim/index.js';
import type { Stage } from '../../support/story.js';

export const said = (request: SimRequest | undefined) =>
  JSON.stringify((JSON.parse(request?.raw.toString('utf8') ?? '{}') as { messages: unknown }).messages);

export const bash = (command: string) => ({ tool: 'Bash', input: { command } });

export const write = (stage: Stage, name: string, fields: string, body: string) =>
  stage.write(`.claude/skills/${name}/SKILL.md`, `---\ndescription: d\n${fields}---\n${body}\n`);

export const isThere = (stage: Stage, name: string) =>
  stage.read(name).then(
    () => true,
    () => false,
  );

export const trust = (stage: Stage) => openTrust(nodeHost(stage.folder, stage.env)).trust(stage.folder);

export const GRANTS = 'allowed-tools: Bash(touch:*)\n';
