/** Each built-in tool says everything about itself once, and every surface shows it from that. */

import { expect, it } from 'vitest';
import { createSearchListing } from '../../../../src/agents/skills/search-listing.js';
import { showCall } from '../../../../src/front/acp/tool-calls.js';
import { describeTool } from '../../../../src/front/mcp-server/serve-session.js';
import { callText } from '../../../../src/front/tui/parts/call-line.js';
import { describeCall } from '../../../../src/front/view/describe/describe-call.js';
import { parseRule } from '../../../../src/gate/permissions/rules/rule.js';
import { factsOf, TOOL_FACTS } from '../../../../src/protocol/tools/built-in-tools.js';
import type { ToolFacts } from '../../../../src/protocol/tools/tool-facts.js';
import { callTool } from '../../../../src/tools/mcp/offer/call-tool.js';
import { createResourceTools } from '../../../../src/tools/mcp/offer/resource-tools.js';
import { searchTool } from '../../../../src/tools/mcp/offer/search-tool.js';
import type { ServerAccess } from '../../../../src/tools/mcp/server-access.js';
import { createStructuredOutputTool } from '../../../../src/tools/output/structured-output.js';
import type { Tool } from '../../../../src/tools/tool.js';
import { setStage } from '../../../support/story.js';

/** Those of every session, and those that one has only where it needs them. */
async function allTools(): Promise<readonly Tool[]> {
  const session = await (await setStage()).open({ onlyCalls: true });
  const none = () => [];
  return [
    ...session.tools,
    createSearchListing(none),
    createStructuredOutputTool({ ok: true, declared: {}, isWrapped: false, problemOf: () => undefined }),
    searchTool([], none),
    callTool(none),
    ...createResourceTools({} as ServerAccess, { maxTokens: 1, mostChars: 1 }),
  ];
}

it('SF-6, SF-14: the registry has the facts of every built-in tool, and of no other', async () => {
  const tools = await allTools();
  expect(tools.map(({ name }) => name).sort()).toEqual(TOOL_FACTS.map(({ name }) => name).sort());
  for (const { name, aliases, inputSchema } of tools) {
    const facts = factsOf(name);
    expect(facts.aliases, name).toEqual(aliases);
    for (const alias of aliases ?? []) expect(factsOf(alias)).toBe(facts);
    const { properties } = inputSchema as { readonly properties?: object };
    expect(Object.keys(properties ?? {}), name).toEqual(expect.arrayContaining(fieldsIn(facts)));
  }
});

/** The fields of the input that the facts name. */
function fieldsIn({ path, line, main = [], document, change }: ToolFacts): string[] {
  const { of: _, ...changed } = change ?? { of: 'none' };
  return [path, line, document, ...main, ...Object.values(changed)].filter((field) => field !== undefined);
}

it('TU-2, GT-1: every surface shows a call of each tool, and rules can name it', () => {
  const shown = TOOL_FACTS.map(({ name }) => {
    const { name: title, about } = callText(name, INPUT, '/shop');
    const { kind, locations, content } = showCall(name, INPUT, '/shop', () => 'one\nold');
    const { annotations } = describeTool({ name, description: '', inputSchema: {} } as Tool);
    const hints = Object.entries(annotations ?? {}).flatMap(([hint, on]) => (on ? [hint.replace('Hint', '')] : []));
    const rule = parseRule(`${name}(domain:x)`, 'allow', { source: 'test', base: '/shop' }).rule?.matches.kind;
    return [
      `${title} ${about.startsWith('file_path:') ? '(fields)' : about}`.trim(),
      describeCall(name, INPUT).replace(JSON.stringify(INPUT).slice(0, 199), '(input)'),
      [
        kind,
        ...locations.map(({ line }) => (line === undefined ? 'path' : `line ${line}`)),
        ...content.map(({ type }) => type),
      ].join(' '),
      annotations === undefined ? '-' : hints.join(' '),
      rule ?? '-',
    ].join(' | ');
  });
  expect(`\n${shown.join('\n')}\n`).toMatchInlineSnapshot(`
    "
    Bash npm test … (+1 line) | Bash: npm test … (+1 line) | execute | destructive openWorld | command
    Read a.ts:7 | Read: /shop/a.ts | read line 7 | readOnly | path
    Write a.ts | Write: /shop/a.ts | edit path diff | destructive | path
    Edit a.ts | Edit: /shop/a.ts | edit line 2 diff | destructive | path
    NotebookEdit b.ipynb | NotebookEdit: /shop/b.ipynb | edit path diff | destructive | path
    Glob TODO in src | Glob: TODO | search path | readOnly | path
    Grep TODO in src | Grep: TODO | search path | readOnly | path
    TodoWrite | TodoWrite | think |  | -
    WebFetch https://example.com/a | WebFetch: https://example.com/a | fetch | readOnly openWorld | host
    Agent Explore: look around | Agent: look around | think | destructive openWorld | agent
    SendMessage to scout: hello | SendMessage: (input)… | other | destructive openWorld | -
    TaskOutput t1 | TaskOutput: (input)… | read | readOnly | -
    TaskStop t1 | TaskStop: (input)… | other | destructive | -
    ListAgents | ListAgents: (input)… | other | readOnly | -
    Skill review 12 | Skill: (input)… | other | - | skill
    AskUserQuestion | AskUserQuestion | other | - | -
    ExitPlanMode | ExitPlanMode | switch_mode | - | -
    WebSearch words | WebSearch: words | fetch | readOnly openWorld | -
    SearchListing (fields) | SearchListing: (input)… | other | - | -
    StructuredOutput (fields) | StructuredOutput: (input)… | other | - | -
    ToolSearch (fields) | ToolSearch: (input)… | other | - | -
    McpCall (fields) | McpCall: (input)… | other | - | -
    ListMcpResources (fields) | ListMcpResources: (input)… | other | - | -
    ReadMcpResource (fields) | ReadMcpResource: (input)… | other | - | -
    "
  `);
});

const INPUT = {
  file_path: '/shop/a.ts',
  notebook_path: '/shop/b.ipynb',
  path: '/shop/src',
  offset: 7,
  old_string: 'old',
  new_string: 'new',
  content: 'text',
  new_source: 'cell',
  pattern: 'TODO',
  command: 'npm test\nnpm run lint',
  url: 'https://example.com/a',
  query: 'words',
  subagent_type: 'Explore',
  description: 'look around',
  to: 'scout',
  message: 'hello',
  task_id: 't1',
  skill: 'review',
  args: '12',
};

it('TU-2: a tool of a server or of an embedder is shown by its name and its fields', () => {
  expect(callText('mcp__tracker__find', { id: 7 }, '/shop')).toEqual({ name: 'tracker find', about: 'id: 7' });
  expect(describeCall('mcp__tracker__find', { id: 7 })).toBe('mcp__tracker__find: {"id":7}');
  for (const name of ['mcp__tracker__find', 'Weather', 'constructor']) {
    expect(showCall(name, {}, '/shop', () => undefined).kind).toBe('other');
    expect(describeTool({ name, description: '', inputSchema: {} } as Tool).annotations).toBeUndefined();
  }
});
