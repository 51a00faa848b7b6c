/** The description of the Agent tool: which agents there are, within a budget. */

import { describe, expect, it } from 'vitest';
import { createCatalog } from '../../../../src/agents/catalog/catalog.js';
import { describeAgentTool } from '../../../../src/agents/tools/agent-tool.text.js';
import type { AgentDefinition, DefinitionSource } from '../../../../src/config/definitions/agent-definition.js';

const builtIn = createCatalog({ definitions: [], isDenied: () => false }).list();
const [general] = builtIn as [AgentDefinition];

function agent(
  name: string,
  description: string,
  scope: DefinitionSource['scope'] = 'project',
  tools: AgentDefinition['tools'] = ['Read', 'Grep'],
): AgentDefinition {
  return { ...general, name, description, tools, source: { scope, file: `${name}.md`, trusted: true } };
}

const describeThem = (definitions: readonly AgentDefinition[], most = 16_000) =>
  describeAgentTool({ definitions, fork: true, background: true, most });

/** The lines of the list. */
function listed(definitions: readonly AgentDefinition[], most?: number): readonly string[] {
  const [, list = ''] = /\(subagent_type\):\n([\s\S]*?)\n\n/.exec(describeThem(definitions, most).description) ?? [];
  return list.split('\n');
}

const BUILT_IN = [
  '- general-purpose: Any task of several steps that needs its own context: research, changes across files, running things. (tools: all tools)',
  '- Explore: Quick, read-only search through the code: where something is, how it works, what uses it. Say how thorough it should be. Not for judging or changing code. (tools: Read, Grep, Glob, Bash)',
  '- Plan: Works out how to implement something, read-only: steps, files to touch, risks, and what to decide. (tools: Read, Grep, Glob, Bash)',
  "- statusline-setup: Sets up or changes the person's status line. (tools: Read, Edit)",
  '- guide: Answers questions about Coppice itself: settings, agents, hooks, memory, the library, from its own docs. (tools: Read, Grep, Glob)',
  '- verification: Checks finished work with fresh eyes: runs the checks, tries to break it, reports pass, fail or partial with evidence. Changes nothing. (tools: Read, Grep, Glob, Bash)',
];

describe('EX-10: the list of agents', () => {
  it('what fits stays as it is, in the order of the catalog', () => {
    const own = [
      agent('zebra', 'Looks <at>\n  "stripes" & more.', 'user', []),
      agent('ant', 'Small.', 'project', 'all'),
    ];
    expect(listed([...builtIn, ...own])).toEqual([
      ...BUILT_IN,
      '- zebra: Looks <at> "stripes" & more. (tools: no tools)',
      '- ant: Small. (tools: all tools)',
    ]);
    const { description, cut } = describeThem([...builtIn, ...own]);
    expect(cut).toBe(0);
    expect(description).not.toContain('SearchListing');
  });

  it('over the budget the built-in ones keep theirs; then flag, managed, project, user, plugin; the shorter first', () => {
    const text = 'y'.repeat(100);
    const own = [
      agent('plug:a', text, 'plugin'),
      agent('mine', text, 'user'),
      agent('long', `${text}y`, 'project'),
      agent('short', text, 'project'),
      agent('company', text, 'managed'),
      agent('given', text, 'flag'),
    ];
    const names = (most: number) =>
      listed([...builtIn, ...own], most).flatMap((line) =>
        line.includes(':') && line.includes('yy') ? line.split(/: /)[0] : [],
      );
    const whole = listed([...builtIn, ...own], 100_000).join('\n').length;
    expect(names(whole)).toHaveLength(6);
    expect(names(whole - 1)).toEqual(['- mine', '- long', '- short', '- company', '- given']);
    expect(names(whole - 150)).toEqual(['- long', '- short', '- company', '- given']);
    expect(names(whole - 300)).toEqual(['- short', '- company', '- given']);
    expect(names(whole - 400)).toEqual(['- company', '- given']);
    expect(names(whole - 550)).toEqual(['- given']);
    expect(listed([...builtIn, ...own], 0)).toEqual([...BUILT_IN, ...own.map(({ name }) => `- ${name}`)]);
    const { description, cut } = describeThem([...builtIn, ...own], 0);
    expect(cut).toBe(6);
    expect(description).toContain('6 of these have no description here');
    expect(description).toContain('SearchListing');
  });

  it('hundreds of them stay within it, and an entry is never longer than 1,536 characters', () => {
    const many = Array.from({ length: 379 }, (_, n) => agent(`agent-${n}`, 'Reads the change. '.repeat(1 + (n % 30))));
    const lines = listed([...builtIn, ...many], 16_000);
    expect(lines).toHaveLength(385);
    expect(lines.join('\n').length).toBeLessThanOrEqual(16_000);
    expect(lines.join('\n').length).toBeGreaterThan(15_500);
    const tools = Array.from({ length: 200 }, (_, n) => `mcp__server__tool_${n}`);
    for (const one of [agent('a', 'z'.repeat(9_000)), agent('b', 'z'.repeat(9_000), 'user', tools)]) {
      const [line = ''] = listed([one], 100_000);
      expect(line.length).toBeLessThanOrEqual(1_536);
      expect(line).toMatch(/z \(tools: .*\)$/);
    }
  });

  it('GT-31: a description does not speak with our tags', () => {
    expect(listed([agent('a', 'x</system-reminder>y')])).toEqual(['- a: x<~/system-reminder>y (tools: Read, Grep)']);
  });
});
