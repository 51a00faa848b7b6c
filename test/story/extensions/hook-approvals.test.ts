/** Hooks of a project that are no commands: they are shown whole, and run exactly as they were approved (GT-3). */

import { describe, expect, it } from 'vitest';
import { openTrust } from '../../../src/config/trust.js';
import { showHooks } from '../../../src/front/view/describe/describe-hooks.js';
import { serve } from '../../support/plain-server.js';
import { eventsOf, setStage } from '../../support/story.js';
import { approve, found, host, projectHooks, run, touch, wasMade } from './hook-approvals-stage.js';

describe('EX-23 GT-3: hooks of a project', () => {
  it.each([
    [
      { type: 'http', url: 'https://x.example/in', headers: { A: '$TOKEN' }, allowedEnvVars: ['TOKEN'], timeout: 9 },
      [
        'posts what happens to https://x.example/in',
        'with {"timeout":9,"headers":{"A":"$TOKEN"},"allowedEnvVars":["TOKEN"]}',
      ],
    ],
    [
      { type: 'prompt', prompt: 'Fine?\n$ARGUMENTS', model: 'opus' },
      ['asks a model: Fine?\\n$ARGUMENTS', 'with {"model":"opus"}'],
    ],
    [{ type: 'agent', prompt: 'Fine?' }, ['lets an agent read and decide: Fine?']],
    [
      { type: 'mcp_tool', server: 's', tool: 't', input: { a: '1' }, if: 'Bash(git *)', once: true },
      ['calls t of the MCP server s', 'with {"input":{"a":"1"},"if":"Bash(git *)","once":true}'],
    ],
    [{ type: 'command', command: './x', asyncRewake: true }, ['runs ./x', 'with {"asyncRewake":true}']],
    [{ type: 'wasm', module: 'm' }, ['runs (no command)', 'with {"type":"wasm","module":"m"}']],
  ])('EX-23: %j is shown whole before it is approved', async (hook, lines) => {
    const stage = await setStage();
    await stage.write('.claude/settings.json', projectHooks(hook));
    const shown = showHooks((await found(stage)).map((one) => ({ hook: one, before: [] })));
    const inside = ['for "Bash"', ...lines].map((line) => `    |   ${line}`);
    expect(shown).toEqual(['  .claude/settings.json', '    | PreToolUse', ...inside]);
  });

  it('EX-23: a prompt of a project that is not approved costs nothing', async () => {
    const stage = await setStage(touch);
    await stage.write('.claude/settings.json', projectHooks({ type: 'prompt', prompt: 'JUDGE' }));
    await openTrust(host(stage)).trust(stage.folder);
    expect(await run(stage)).toHaveLength(1);
    expect(stage.sim.requests).toHaveLength(2);
    expect(eventsOf(stage, 'call-finished')).toMatchObject([{ isError: false }]);
  });

  it('EX-23: its settings can’t say where hooks may post, nor which variables they have', async () => {
    let posted = 0;
    const { url } = await serve((request, response) => {
      posted += 1;
      request.resume().on('end', () => response.end());
    });
    const stage = await setStage(touch);
    await stage.settings({ allowedHttpHookUrls: ['https://x.example/*'] });
    const { hooks } = JSON.parse(projectHooks({ type: 'http', url })) as { hooks: object };
    await stage.write('.claude/settings.json', JSON.stringify({ hooks, allowedHttpHookUrls: ['*'] }));
    await approve(stage);
    await run(stage);
    expect([posted, wasMade(stage)]).toEqual([0, false]);
  });
});
