// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of skills are written so.

/** Skills and prompts whose texts somebody wrote on purpose: nothing is read, granted or kept on words that are not the person's. */

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bash, GRANTS, isThere, said, write } from '../../../story/skills/hostile-skills-stage.js';
import { setStage } from '../../../support/story.js';

describe('EX-12 MC-22: what a skill says or prints is not what the person typed', () => {
  it('EX-12 MC-22: it attaches no resource of a server', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    const path = '../../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js';
    const program = fileURLToPath(new URL(path, import.meta.url));
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
