/** Tools that are declared on demand. */

import { describe, expect, it } from 'vitest';
import { createOffering } from '../../../../../src/tools/mcp/offer/make-tools.js';
import { readResultLimits } from '../../../../../src/tools/mcp/offer/result-limits.js';
import { declareForSearch, readSearchRule } from '../../../../../src/tools/mcp/offer/search.js';
import { rankTools } from '../../../../../src/tools/mcp/offer/search-tool.js';
import { estimateTokens, type ServerTool } from '../../../../../src/tools/mcp/offer/server-tool.js';
import { BUILT_IN_TOOLS, findTool } from '../../../../../src/tools/registry.js';
import type { Tool } from '../../../../../src/tools/tool.js';
import fc from '../../../../support/fast-check.js';
import { makeBench } from '../../tool-bench.js';
import { listed, openServers, type SmallServer } from './offers.js';

function make(servers: Readonly<Record<string, SmallServer>>): readonly ServerTool[] {
  const access = openServers(servers);
  return createOffering(access, readResultLimits({})).make(access.offers, access.parts()).tools;
}

const GITHUB: SmallServer = {
  instructions: 'Use search_issues first.',
  tools: [
    listed('create_issue', {
      description: 'Opens a ticket',
      inputSchema: { type: 'object', properties: { title: {}, repository: {} } },
    }),
    listed('searchIssues', { description: 'Finds tickets by words' }),
    listed('list_commits', { description: 'Commits of a branch' }),
  ],
};
const SLACK: SmallServer = { tools: [listed('post_message', { description: 'Says something in a channel' })] };
const names = (tools: readonly Tool[]) => tools.map(({ name }) => name);
const ALWAYS = { aboveTokens: -1 };

describe('MC-18: when tools are declared on demand', () => {
  const rule = (wish: string | undefined, aboveTokens?: number) =>
    readSearchRule({
      env: { ENABLE_TOOL_SEARCH: wish },
      window: 200_000,
      ...(aboveTokens === undefined ? {} : { aboveTokens }),
    }).aboveTokens;

  it.each([
    [undefined, undefined, 20_000],
    ['auto', undefined, 20_000],
    ['auto:5', undefined, 10_000],
    ['auto:0', undefined, 0],
    ['true', undefined, -1],
    ['false', undefined, Number.POSITIVE_INFINITY],
    [undefined, 3_000, 3_000],
    ['auto', 3_000, 3_000],
    ['auto:5', 3_000, 10_000],
    ['false', 0, Number.POSITIVE_INFINITY],
    ['rubbish', undefined, 20_000],
  ])('ENABLE_TOOL_SEARCH=%s with the setting %s: above %s tokens', (wish, setting, expected) => {
    expect(rule(wish, setting)).toBe(expected);
  });

  it('up to the limit all are declared; above it none, but the two tools of the search', () => {
    const tools = make({ github: GITHUB, slack: SLACK });
    const cost = tools.reduce((sum, tool) => sum + estimateTokens(tool), 0);
    const all = [...BUILT_IN_TOOLS, ...tools];
    expect(declareForSearch(all, { aboveTokens: cost })).toEqual({ declared: all, deferred: [] });
    const { declared, deferred } = declareForSearch(all, { aboveTokens: cost - 1 });
    expect(names(declared)).toEqual([...names(BUILT_IN_TOOLS), 'McpCall', 'ToolSearch']);
    expect(names(deferred)).toEqual(names(tools));
    expect(declareForSearch(BUILT_IN_TOOLS, ALWAYS).declared).toBe(BUILT_IN_TOOLS);
  });

  it('alwaysLoad of the entry or of the tool, and what a definition names, stay declared', () => {
    const tools = make({
      github: GITHUB,
      kept: { tools: [listed('a')], alwaysLoad: true },
      slack: {
        tools: [
          ...(SLACK.tools ?? []),
          listed('mine', { _meta: { 'anthropic/alwaysLoad': true } }),
          listed('x', { _meta: { 'anthropic/alwaysLoad': 'true' } }),
        ],
      },
    });
    const declared = (named?: readonly string[]) =>
      names(declareForSearch(tools, { ...ALWAYS, ...(named ? { named } : {}) }).declared).filter((name) =>
        name.startsWith('mcp__'),
      );
    expect(declared()).toEqual(['mcp__kept__a', 'mcp__slack__mine']);
    expect(declared(['Read', 'mcp__github__create_issue'])).toEqual([
      'mcp__github__create_issue',
      'mcp__kept__a',
      'mcp__slack__mine',
    ]);
    expect(declared(['mcp__github__*'])).toHaveLength(5);
    expect(declared(['mcp__github'])).toHaveLength(5);
    expect(declared(['*', 'mcp__git'])).toHaveLength(2);
  });

  it('names and instructions stay visible, and the same tools give the same bytes', () => {
    const [one, two] = [make({ github: GITHUB, slack: SLACK }), make({ slack: SLACK, github: GITHUB })];
    const search = (tools: readonly Tool[]) => findTool(declareForSearch(tools, ALWAYS).declared, 'ToolSearch');
    expect(search(one)?.description).toContain(
      '## github\nUse search_issues first.\nmcp__github__create_issue, mcp__github__list_commits, mcp__github__searchIssues\n\n## slack\nmcp__slack__post_message',
    );
    expect(search(two)?.description).toBe(search(one)?.description);
    const many = make({ big: { tools: Array.from({ length: 3_000 }, (_, n) => listed(`tool_${n}`)) } });
    expect(search(many)?.description).toMatch(/ and \d+ more$/);
    expect(search(many)?.description.length).toBeLessThan(21_000);
  });
});

describe('MC-18: finding', () => {
  const tools = make({ github: GITHUB, slack: SLACK });
  const found = (query: string) => names(rankTools(tools, query).found).map((name) => name.replace(/^mcp__/, ''));

  it.each([
    ['mcp__github__list_commits', 'github__list_commits'],
    ['list_commits', 'github__list_commits'],
    ['searchissues', 'github__searchIssues'],
    ['create issue', 'github__create_issue'],
    ['tickets', 'github__create_issue'],
    ['repository', 'github__create_issue'],
    ['slack', 'slack__post_message'],
    ['messages channel', 'slack__post_message'],
    ['commit', 'github__list_commits'],
  ])('%s finds %s first', (query, name) => {
    expect(found(query)[0]).toBe(name);
  });

  it('+word is required; an empty query finds nothing', () => {
    expect(found('issue +ticket +words')).toEqual(['github__searchIssues']);
    expect(found('+issue +slack')).toEqual([]);
    expect(found('zebra')).toEqual([]);
    expect(found('+ , ')).toEqual([]);
  });

  it('select: takes tools by name, in the given order, and lists the missing ones', () => {
    const { found: chosen, missing } = rankTools(tools, 'select: mcp__slack__post_message,create_issue, nope');
    expect(names(chosen)).toEqual(['mcp__slack__post_message', 'mcp__github__create_issue']);
    expect(missing).toEqual(['nope']);
  });

  it('property: any query gives a stable order that the order of the tools does not change', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('issue', ' ', '+', 'a', 'select:', ',', '(', '\\', 's', '🌳') }),
        (query) => {
          expect(names(rankTools([...tools].reverse(), query).found)).toEqual(names(rankTools(tools, query).found));
        },
      ),
    );
  });
});

describe('MC-18: ToolSearch and McpCall', () => {
  const many = () => make({ s: { tools: Array.from({ length: 9 }, (_, n) => listed(`do_${n}`)) } });
  const search = (tools: readonly Tool[]) => findTool(declareForSearch(tools, ALWAYS).declared, 'ToolSearch') as Tool;

  it('shows up to five definitions in full, and the names of some more', async () => {
    const bench = await makeBench();
    const lines = (await bench.say(search(many()), { query: 'do' })).split('\n');
    expect(lines.slice(1, 6).map((line) => JSON.parse(line))).toEqual(
      [0, 1, 2, 3, 4].map((n) => ({
        name: `mcp__s__do_${n}`,
        description: `[MCP server s] does do_${n}`,
        input_schema: { type: 'object', properties: {} },
      })),
    );
    expect(lines.at(-1)).toBe('Also: mcp__s__do_5, mcp__s__do_6, mcp__s__do_7, mcp__s__do_8');
    expect((await bench.say(search(many()), { query: 'do', max_results: 99 })).split('\n')).toHaveLength(7);
    expect((await bench.say(search(many()), { query: 'do', max_results: '2' })).split('\n')).toHaveLength(4);
    expect(await bench.call(search(many()), { query: ' ' })).toMatchObject({ isError: true });
    expect(await bench.say(search(many()), { query: 'select:do_1,dod_2' })).toMatch(/No tool "dod_2"/);
    expect(await bench.call(search(many()), { query: 'zebra' })).toMatchObject({ isError: true });
  });

  it('McpCall is the tool it names, and only one that the agent has', () => {
    const tools = make({ github: GITHUB, 'my server': { tools: [listed('do it')] } });
    const { declared } = declareForSearch([...BUILT_IN_TOOLS, ...tools], {
      ...ALWAYS,
      named: ['mcp__github__create_issue'],
    });
    const call = findTool(declared, 'McpCall');
    expect(call?.forwards?.({ tool: 'mcp__github__list_commits', input: { a: 1 } })).toEqual({
      ok: true,
      tool: findTool(tools, 'mcp__github__list_commits'),
      raw: { a: 1 },
    });
    expect(call?.forwards?.('{"tool":"mcp__my server__do it","input":"{}"}')).toMatchObject({ ok: true, raw: '{}' });
    for (const tool of ['Bash', 'McpCall', 'ToolSearch', 'mcp__github__nothing', '', 7, undefined]) {
      expect(call?.forwards?.({ tool, input: {} })).toMatchObject({ ok: false });
    }
    expect(call?.forwards?.([])).toMatchObject({ ok: false });
    expect(call?.finds?.('mcp__my server__do it')?.name).toBe('mcp__my_server__do_it');
    expect(call?.finds?.('Bash')).toBeUndefined();
  });

  it('MC-14: a search waits for servers that are still connecting, finds their tools, and reports which failed', async () => {
    const late = make({ slow: { tools: [listed('late_tool')] } });
    let has = false;
    const { declared } = declareForSearch(BUILT_IN_TOOLS, ALWAYS, {
      settled: async () => {
        has = true;
      },
      tools: () => (has ? late : []),
      failures: () => ['the MCP server broken did not connect: refused'],
    });
    const [call, tool] = [findTool(declared, 'McpCall'), findTool(declared, 'ToolSearch') as Tool];
    expect(call?.forwards?.({ tool: 'mcp__slow__late_tool', input: {} })).toMatchObject({ ok: false });
    const said = await (await makeBench()).say(tool, { query: 'late' });
    expect(said).toContain('"mcp__slow__late_tool"');
    expect(said).toContain('the MCP server broken did not connect: refused');
    expect(call?.forwards?.({ tool: 'mcp__slow__late_tool', input: {} })).toMatchObject({ ok: true });
  });
});
