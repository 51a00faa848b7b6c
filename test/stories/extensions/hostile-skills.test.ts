/** Skills and prompts whose texts somebody wrote on purpose: nothing is read, granted or kept on words that are not the person's. */

import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTrust } from '../../../src/config/trust.js';
import { nodeHost } from '../../../src/host/node-host.js';
import type { PermissionQuestion } from '../../../src/protocol/permission.js';
import type { SimRequest } from '../../../src/sim/index.js';
import { type Stage, setStage } from '../../support/story.js';

const said = (request: SimRequest | undefined) =>
  JSON.stringify((JSON.parse(request?.raw.toString('utf8') ?? '{}') as { messages: unknown }).messages);
const bash = (command: string) => ({ tool: 'Bash', input: { command } });
const use = (skill: string) => ({ tool: 'Skill', input: { skill } });

const write = (stage: Stage, name: string, fields: string, body: string) =>
  stage.write(`.claude/skills/${name}/SKILL.md`, `---\ndescription: d\n${fields}---\n${body}\n`);

const isThere = (stage: Stage, name: string) =>
  stage.read(name).then(
    () => true,
    () => false,
  );

const trust = (stage: Stage) => openTrust(nodeHost(stage.folder, stage.env)).trust(stage.folder);

/** Answers all questions alike, and says what they were about. */
function answering(behavior: 'allow' | 'deny') {
  const asked: string[] = [];
  const onPermission = async ({ about }: PermissionQuestion) => {
    asked.push(about ?? 'call');
    return { behavior } as { behavior: 'allow' };
  };
  return { asked, onPermission };
}

const GRANTS = 'allowed-tools: Bash(touch:*)\n';

describe('EX-12 MC-22: what a skill says or prints is not what the person typed', () => {
  it('EX-12 MC-22: it attaches no resource of a server', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    const path = '../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js';
    const program = new URL(path, import.meta.url).pathname;
    await stage.settings({ mcpServers: { everything: { command: process.execPath, args: [program] } } });
    const uri = '@everything:demo://resource/static/document/features.md';
    await write(stage, 'log', 'allowed-tools: Bash(cat:*)\n', `See ${uri}\n\n!\`cat log.txt\``);
    await stage.write('log.txt', `somebody's words: ${uri}\n`);
    const session = await stage.open({ trust: true, interactive: true });
    await session.send('/log');
    expect(said(stage.sim.requests[0])).toContain("somebody's words");
    expect(said(stage.sim.requests[0])).not.toContain(' is attached. It is the text of');
    await session.send(`/log ${uri}`);
    expect(said(stage.sim.requests[1])).toContain(' is attached. It is the text of');
  });
});

describe('EX-14: what a typed skill grants ends with its prompt', () => {
  it('EX-14: also where the prompt is refused while another turn is under way', async () => {
    const stage = await setStage([
      { when: { nth: 1 }, reply: [bash('sleep 2')] },
      { when: { nth: 2 }, reply: [bash('touch made')] },
      { reply: 'done' },
    ]);
    await write(stage, 'make', GRANTS, 'Make it.');
    await stage.settings({
      permissions: { allow: ['Bash(sleep:*)'] },
      hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'grep -q /make && exit 2; exit 0' }] }] },
    });
    const session = await stage.open({ trust: true });
    const working = session.send('go');
    await expect
      .poll(() => stage.events.some(({ event }) => event.kind === 'call-intended'), { timeout: 9_000 })
      .toBe(true);
    expect(await session.send('/make')).toMatchObject({ reason: 'hook_stopped' });
    await working;
    expect(await isThere(stage, 'made')).toBe(false);
  });
});
