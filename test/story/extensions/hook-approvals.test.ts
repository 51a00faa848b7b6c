/** Hooks of a project that are no commands: they are shown whole, and run exactly as they were approved (GT-3). */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { approvalOf } from '../../../src/config/approvals/project-hooks.js';
import { openTrust } from '../../../src/config/trust.js';
import { findHooksHere } from '../../../src/front/cli/find-hooks.js';
import { showHooks } from '../../../src/front/view/describe/describe-hooks.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { serve } from '../../support/plain-server.js';
import { eventsOf, type Stage, setStage } from '../../support/story.js';

const host = (stage: Stage) => nodeHost(stage.folder, stage.env);
const projectHooks = (hook: object) => JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] } });
const touch = [
  { when: { nth: 1 }, reply: [{ tool: 'Bash', input: { command: 'touch made' } }] },
  { reply: 'done' },
] as const;

async function found(stage: Stage) {
  const { folder } = stage;
  return (await findHooksHere({ host: host(stage), folder, projectRoot: folder, isTrusted: true })).hooks;
}

/** What a yes at the terminal stores. */
async function approve(stage: Stage): Promise<void> {
  await openTrust(host(stage)).trust(stage.folder);
  await openTrust(host(stage)).approve(stage.folder, (await found(stage)).map(approvalOf));
}

async function run(stage: Stage): Promise<readonly string[]> {
  const session = await stage.open({ permissionMode: 'bypassPermissions' });
  await session.send('Go.');
  await session.close();
  return session.warnings.filter((line) => line.includes('not approved'));
}

const wasMade = ({ folder }: Stage) => existsSync(join(folder, 'made'));

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

  it('GT-3: without an approval nothing is posted; with it, it decides; a changed key of it needs another', async () => {
    let posted = 0;
    const { url } = await serve((request, response) => {
      posted += 1;
      request.resume().on('end', () => response.end('{"decision":"block","reason":"no"}'));
    });
    const stage = await setStage(touch);
    const hook = { type: 'http', url, headers: { A: 'b' } };
    await stage.write('.claude/settings.json', projectHooks(hook));
    await openTrust(host(stage)).trust(stage.folder);
    expect(await run(stage)).toHaveLength(1);
    expect([posted, wasMade(stage)]).toEqual([0, true]);
    await approve(stage);
    expect(await run(stage)).toEqual([]);
    expect(posted).toBe(1);
    const other = { ...hook, headers: { A: '$HOME' }, allowedEnvVars: ['HOME'] };
    await stage.write('.claude/settings.json', projectHooks(other));
    expect(await run(stage)).toHaveLength(1);
    expect(posted).toBe(1);
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
