/** Many tools of servers: found on demand, called through one tool, judged as themselves (MC-18). */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HooksConfig } from '../../../src/gate/hooks/hook-config.js';
import { smallServer } from '../../support/mcp/small-server.js';
import { bodyOf, callsFor, mcpNames, resultsIn, toolNames, toolsOf } from '../../support/mcp/told.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import { comparable } from '../../support/wire-body.js';

const TOOLS = Array.from({ length: 30 }, (_, index) => ({
  name: `tool_${String(index).padStart(2, '0')}`,
  description: `Weighs ${['apples', 'pears', 'plums'][index % 3]} of lot ${index}`,
  inputSchema: { type: 'object', properties: { lot: { type: 'number' } } },
}));
const call = (tool: string, input: object = {}) => ({ tool: 'McpCall', input: { tool: `mcp__many__${tool}`, input } });
const search = (query: string) => ({ tool: 'ToolSearch', input: { query } });

async function manyTools(stage: Stage, settings: object = {}, entry: object = {}): Promise<void> {
  const log = join(stage.folder, 'log');
  const many = { ...smallServer({ name: 'many', tools: TOOLS, log, instructions: 'Weigh with care.' }), ...entry };
  await stage.settings({ mcpServers: { many }, mcp: { searchAboveTokens: 100 }, ...settings });
}

const allow = { permissions: { allow: ['mcp__many'] } };

describe('MC-18: tools on demand', () => {
  it('MC-18 none is declared; names and instructions are visible; what is found is called, as itself', async () => {
    const stage = await setStage(
      callsFor('weigh', [
        search('pears lot 13'),
        call('tool_13', { lot: 13 }),
        { tool: 'mcp__many__tool_14', input: { lot: 14 } },
        call('tool_99'),
      ]),
    );
    await manyTools(stage, allow);
    const session = await stage.open();
    expect((await session.send('weigh')).reason, stage.sim.report()).toBe('completed');
    expectAllAccepted(stage.sim);
    for (const request of stage.sim.requests) {
      expect(mcpNames(request)).toEqual([]);
      expect(toolsOf(request)).toEqual(toolsOf(stage.sim.requests[0]));
    }
    const described = toolsOf(stage.sim.requests[0]).find(({ name }) => name === 'ToolSearch')?.description;
    expect(described).toContain('Weigh with care.');
    for (const { name } of TOOLS) expect(described).toContain(`mcp__many__${name}`);
    const [found, called, direct, unknown] = resultsIn(stage.sim.requests.at(-1));
    expect(found?.text).toContain('"name":"mcp__many__tool_13"');
    expect(called?.text).toContain('many tool_13 {"lot":13}');
    expect(direct?.text).toContain('many tool_14 {"lot":14}');
    expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining('knows no tool') });
    expect(await stage.read('log')).toContain('tools/call tool_13');
    expect(eventsOf(stage, 'epoch-started')).toHaveLength(1);
  });

  it('MC-18 rules, hooks and questions are about the real tool, its input and its name', async () => {
    const stage = await setStage(
      callsFor('weigh', [call('tool_01', { lot: 1 }), call('tool_02'), call('tool_03'), call('tool_04', { lot: 4 })]),
    );
    await manyTools(stage, {
      permissions: { allow: ['mcp__many__tool_02', 'mcp__many__tool_03'], deny: ['mcp__many__tool_01'] },
    });
    const seen: unknown[] = [];
    const asked: unknown[] = [];
    const hooks: HooksConfig = {
      PreToolUse: [
        {
          matcher: 'mcp__many__tool_03',
          hooks: [
            ({ tool_name, tool_input }) => {
              seen.push([tool_name, tool_input]);
              return { decision: 'block', reason: 'the hook says no' };
            },
          ],
        },
        {
          matcher: 'McpCall',
          hooks: [
            () => {
              seen.push('the wrong name');
            },
          ],
        },
      ],
    };
    const session = await stage.open({
      hooks,
      onPermission: async ({ call: { tool, input }, offers }) => {
        asked.push([tool, input, offers.flatMap((offer) => (offer.kind === 'rule' ? [offer.rule] : []))]);
        return { behavior: 'deny', reason: 'the person says no' };
      },
    });
    await session.send('weigh');
    const results = resultsIn(stage.sim.requests.at(-1));
    expect(results.map(({ isError }) => isError)).toEqual([true, false, true, true]);
    expect(results[0]?.text).toContain('mcp__many__tool_01');
    expect(results[2]?.text).toContain('the hook says no');
    expect(results[3]?.text).toContain('the person says no');
    expect(seen).toEqual([['mcp__many__tool_03', {}]]);
    expect(asked).toEqual([['mcp__many__tool_04', { lot: 4 }, expect.arrayContaining(['mcp__many__tool_04'])]]);
    expect((await stage.read('log')).match(/tools\/call .*/g)).toEqual(['tools/call tool_02']);
    expectAllAccepted(stage.sim);
  });

  it('MC-18 a deny rule for the whole server holds through McpCall in every mode', async () => {
    const stage = await setStage(callsFor('weigh', [call('tool_01')]));
    await manyTools(stage, { permissions: { deny: ['mcp__many'] } });
    const session = await stage.open({ permissionMode: 'bypassPermissions' });
    await session.send('weigh');
    expect(resultsIn(stage.sim.requests.at(-1)).map(({ isError }) => isError)).toEqual([true]);
    expect(await stage.read('log')).not.toContain('tools/call');
  });

  it.each([
    ['an entry with alwaysLoad', { entry: { alwaysLoad: true } }, TOOLS.length],
    [
      'a tool with the mark',
      { tools: [{ ...TOOLS[0], _meta: { 'anthropic/alwaysLoad': true } }, ...TOOLS.slice(1)] },
      1,
    ],
  ])('MC-18 %s is declared in full', async (_, more, declared) => {
    const stage = await setStage([{ reply: 'ok' }]);
    const tools = 'tools' in more ? (more.tools as typeof TOOLS) : TOOLS;
    const many = { ...smallServer({ name: 'many', tools }), ...('entry' in more ? more.entry : {}) };
    await stage.settings({ mcpServers: { many }, mcp: { searchAboveTokens: 100 } });
    await (await stage.open()).send('hello');
    expect(mcpNames(stage.sim.requests[0])).toHaveLength(declared);
    expect(toolNames(stage.sim.requests[0]).includes('ToolSearch')).toBe(declared < TOOLS.length);
    expectAllAccepted(stage.sim);
  });

  it.each([
    ['true', undefined, 0],
    ['false', undefined, 30],
    ['auto', undefined, 30],
    ['auto:0', undefined, 0],
    ['auto:100', undefined, 30],
    ['', 100, 0],
    ['false', 100, 30],
  ])('MC-18 ENABLE_TOOL_SEARCH=%j with searchAboveTokens %s declares %i', async (wish, above, declared) => {
    const stage = await setStage([{ reply: 'ok' }]);
    await manyTools(stage, { mcp: above === undefined ? {} : { searchAboveTokens: above } });
    await (await stage.open({ env: { ...stage.env, ENABLE_TOOL_SEARCH: wish } })).send('hello');
    expect(mcpNames(stage.sim.requests[0])).toHaveLength(declared);
  });

  it('MC-18 a child whose definition names a tool has it declared, and no way to the others', async () => {
    const stage = await setStage([
      ...callsFor('CHILD', [{ tool: 'mcp__many__tool_07', input: {} }, call('tool_08'), search('tool_08')]),
      { when: { nth: 1 }, reply: [{ tool: 'Agent', input: { subagent_type: 'weigher', prompt: 'CHILD' } }] },
      { reply: 'done' },
    ]);
    await manyTools(stage, { ...allow, mcp: { searchAboveTokens: 0 } });
    await stage.write(
      '.claude/agents/weigher.md',
      '---\nname: weigher\ndescription: d\ntools: Read, mcp__many__tool_07\n---\nYou weigh\n',
    );
    const session = await stage.open({ trust: true });
    await session.send('go');
    const child = stage.sim.requests.filter(({ raw }) => raw.includes('You weigh'));
    expect(mcpNames(child[0])).toEqual(['mcp__many__tool_07']);
    expect(toolNames(child[0])).not.toContain('McpCall');
    expect(resultsIn(child.at(-1)).map(({ isError }) => isError)).toEqual([false, true, true]);
    expect((await stage.read('log')).match(/tools\/call .*/g)).toEqual(['tools/call tool_07']);
    expectAllAccepted(stage.sim);
  });

  it('MC-18 MC-14 a search waits for a server that still connects; what a definition does not list is not reached by it', async () => {
    const stage = await setStage(callsFor('go', [search('lot'), call('tool_08'), call('tool_07')]));
    const opens = join(stage.folder, 'open');
    const log = join(stage.folder, 'log');
    await stage.settings({
      mcpServers: { many: smallServer({ name: 'many', tools: TOOLS, log, waitFor: opens }) },
      mcp: { waitMs: 1 },
      ...allow,
    });
    await stage.write(
      '.claude/agents/weigher.md',
      '---\nname: weigher\ndescription: d\ntools: Read, mcp__many__tool_07\n---\nYou weigh\n',
    );
    const session = await stage.open({ trust: true, agent: 'weigher' });
    const sent = session.send('go');
    await stage.sim.received(1);
    await stage.write('open', '');
    expect((await sent).reason, stage.sim.report()).toBe('completed');
    const [found, other, own] = resultsIn(stage.sim.requests.at(-1));
    expect(found?.text).toContain('mcp__many__tool_07');
    expect(found?.text).not.toContain('mcp__many__tool_08');
    expect([other?.isError, own?.isError]).toEqual([true, false]);
    expect((await stage.read('log')).match(/tools\/call .*/g)).toEqual(['tools/call tool_07']);
    expectAllAccepted(stage.sim);
  });

  it('MC-18 FK-7 DU-18 a fork and a resumed session keep the bytes, and find and call as before', async () => {
    const stage = await setStage([
      ...callsFor('<fork-boilerplate>', [call('tool_05')]),
      ...callsFor('again', [search('tool_06'), call('tool_06')]),
      { when: { user: 'now fork' }, reply: [{ tool: 'Agent', input: { fork: true, prompt: 'weigh' } }] },
      { reply: 'ok' },
    ]);
    await manyTools(stage, allow);
    const first = await stage.open({ fork: 'on' });
    await first.send('first');
    expect((await first.send('now fork')).reason, stage.sim.report()).toBe('completed');
    const fork = stage.sim.requests.find(({ raw }) => raw.includes('<fork-boilerplate>'));
    const parent = stage.sim.requests[1];
    if (fork === undefined || parent === undefined) throw new Error(stage.sim.report());
    const shared = comparable(parent);
    expect(comparable(fork).startsWith(shared.slice(0, shared.lastIndexOf(']')))).toBe(true);
    await first.close();
    const second = await stage.open({ fork: 'on', resume: first.id });
    expect((await second.send('again')).reason, stage.sim.report()).toBe('completed');
    const last = stage.sim.requests.at(-1);
    expect(toolsOf(last)).toEqual(toolsOf(stage.sim.requests[0]));
    expect(bodyOf(last).messages.length).toBeGreaterThan(4);
    expect(
      resultsIn(last)
        .slice(-2)
        .map(({ isError }) => isError),
    ).toEqual([false, false]);
    expect((await stage.read('log')).match(/tools\/call .*/g)).toEqual(['tools/call tool_05', 'tools/call tool_06']);
    const epochs = stage.events.filter(({ agent, event }) => agent === 'main' && event.kind === 'epoch-started');
    expect(epochs).toHaveLength(1);
    expectAllAccepted(stage.sim);
  });
});
