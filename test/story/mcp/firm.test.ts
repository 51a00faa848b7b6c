/** Tools that want a user's word each time: asked in every mode, denied where nobody is, by every way (MC-21). */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HooksConfig } from '../../../src/gate/hooks/hook-config.js';
import { smallServer } from '../../support/mcp/small-server.js';
import { callsFor, resultsIn } from '../../support/mcp/told.js';
import { expectAllAccepted, type Stage, setStage } from '../../support/story.js';

const PAY = { name: 'pay', _meta: { 'anthropic/requiresUserInteraction': true } };
const LOOK = { name: 'look', annotations: { readOnlyHint: true } };
const pay = { tool: 'mcp__shop__pay', input: {} };
const viaCall = { tool: 'McpCall', input: { tool: 'mcp__shop__pay', input: {} } };
const child = { tool: 'Agent', input: { subagent_type: 'worker', prompt: 'CHILD' } };

async function shop(stage: Stage, more: object = {}): Promise<void> {
  const log = join(stage.folder, 'log');
  await stage.settings({
    mcpServers: { shop: smallServer({ tools: [PAY, LOOK], log }) },
    // The firmest yes there is.
    permissions: { allow: ['mcp__shop', 'mcp__shop__pay', 'mcp__*'] },
    ...more,
  });
  await stage.write('.claude/agents/worker.md', '---\nname: worker\ndescription: d\n---\nYou are a worker\n');
}

const calls = async (stage: Stage) =>
  ((await readFile(join(stage.folder, 'log'), 'utf8')).match(/tools\/call .*/g) ?? []).length;

const YES: HooksConfig = {
  PreToolUse: [
    { hooks: [() => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } })] },
  ],
};

const WAYS = [
  ['a call', callsFor('go', [pay]), {}],
  ['McpCall', callsFor('go', [viaCall]), { mcp: { searchAboveTokens: 0 } }],
  ['a name that is not declared', callsFor('go', [pay]), { mcp: { searchAboveTokens: 0 } }],
  ['a child', [...callsFor('CHILD', [pay]), ...callsFor('go', [child])], {}],
  [
    'a child and McpCall',
    [...callsFor('CHILD', [viaCall]), ...callsFor('go', [child])],
    { mcp: { searchAboveTokens: 0 } },
  ],
] as const;

describe.each(WAYS)('MC-21 by %s', (_, rules, settings) => {
  it('MC-21 in bypassPermissions, with rules and hooks that allow it: denied where nobody can be asked', async () => {
    const stage = await setStage(rules);
    await shop(stage, settings);
    const session = await stage.open({ permissionMode: 'bypassPermissions', hooks: YES, trust: true });
    await session.send('go');
    expect(stage.sim.requests.some((request) => resultsIn(request).some(({ isError }) => isError))).toBe(true);
    expect(await calls(stage)).toBe(0);
    expectAllAccepted(stage.sim);
  });

  it('MC-21 a user is asked about that very tool, and runs it with a yes', async () => {
    const stage = await setStage(rules);
    await shop(stage, settings);
    const asked: string[] = [];
    const session = await stage.open({
      permissionMode: 'bypassPermissions',
      hooks: YES,
      trust: true,
      onPermission: async ({ call }) => {
        asked.push(call.tool);
        return { behavior: 'allow' };
      },
    });
    await session.send('go');
    expect(asked).toEqual(['mcp__shop__pay']);
    expect(await calls(stage)).toBe(1);
  });
});

it.each([
  ['declared', {}, [pay, pay]],
  ['found on demand', { mcp: { searchAboveTokens: 0 } }, [{ tool: 'ToolSearch', input: { query: 'pay' } }, viaCall]],
])(
  'MC-21 a resumed session whose server is not there yet, its tool %s: never run unasked',
  async (_, settings, tried) => {
    const stage = await setStage([...callsFor('go', tried), { reply: 'ok' }]);
    await shop(stage, settings);
    const first = await stage.open({ permissionMode: 'bypassPermissions' });
    await first.send('hello');
    await first.close();
    const opens = join(stage.folder, 'open');
    const log = join(stage.folder, 'log');
    await shop(stage, {
      ...settings,
      mcpServers: { shop: smallServer({ tools: [PAY, LOOK], log, waitFor: opens }) },
      mcp: { ...('mcp' in settings ? settings.mcp : {}), waitMs: 1 },
    });
    const second = await stage.open({ permissionMode: 'bypassPermissions', resume: first.id });
    const sent = second.send('go');
    await stage.write('open', '');
    await sent;
    const results = resultsIn(stage.sim.requests.at(-1));
    expect(results.at(-1)).toMatchObject({ isError: true, text: expect.stringContaining('nobody') });
    expect(await calls(stage)).toBe(0);
    expectAllAccepted(stage.sim);
  },
);

it('MC-21 a hint that it only reads is no permission, in no mode that asks', async () => {
  const stage = await setStage([...callsFor('go', [{ tool: 'mcp__shop__look', input: {} }]), { reply: 'ok' }]);
  await shop(stage, { permissions: {} });
  for (const permissionMode of ['default', 'acceptEdits', 'plan', 'dontAsk'] as const) {
    await (await stage.open({ permissionMode })).send('go');
    expect(resultsIn(stage.sim.requests.at(-1)).map(({ isError }) => isError)).toEqual([true]);
  }
  expect(await calls(stage)).toBe(0);
});
