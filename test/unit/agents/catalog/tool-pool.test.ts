import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { toolLimits } from '../../../../src/agents/catalog/tool-limits.js';
import { assemblePool } from '../../../../src/agents/catalog/tool-pool.js';
import { defineTool } from '../../../../src/front/sdk/define-tool.js';
import type { Tool } from '../../../../src/tools/tool.js';
import { definition } from './definition.js';

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  ...(defineTool({ name, description: name, schema: z.object({}), run: async () => '' }) as Tool),
  ...more,
});
const all = [
  tool('Read'),
  tool('Bash'),
  tool('Edit'),
  tool('Agent', { aliases: ['Task'], startsChild: true }),
  tool('AskUserQuestion'),
  tool('ExitPlanMode'),
  tool('mcp__github__search'),
  tool('mcp__github__create'),
  tool('mcp__gitlab__search'),
];

function pool(given: Partial<Parameters<typeof definition>[0]>, depth = 1, maxDepth = 3): string[] | string {
  const result = assemblePool({ all, definition: definition({ name: 'one', ...given }), depth, maxDepth });
  return result.ok ? result.tools.map(({ name }) => name) : result.reason;
}

const EVERY = ['Read', 'Bash', 'Edit', 'Agent', 'mcp__github__search', 'mcp__github__create', 'mcp__gitlab__search'];

describe('assemblePool', () => {
  it('AG-13: all tools, but none that asks the user or switches plan mode', () => {
    expect(pool({})).toEqual(EVERY);
    expect(pool({ tools: ['*'] })).toEqual(EVERY);
    expect(pool({ tools: ['AskUserQuestion', 'ExitPlanMode', 'Read'] })).toEqual(['Read']);
  });

  it('AG-12: tools allows, disallowedTools is applied first', () => {
    expect(pool({ tools: ['Read', 'bash'] })).toEqual(['Read', 'Bash']);
    expect(pool({ tools: ['Read', 'Bash'], disallowedTools: ['Bash'] })).toEqual(['Read']);
    expect(pool({ disallowedTools: ['Edit', 'mcp__github'] })).toEqual([
      'Read',
      'Bash',
      'Agent',
      'mcp__gitlab__search',
    ]);
  });

  it('AG-12: a server name selects all its tools, and no other server’s', () => {
    const github = ['mcp__github__search', 'mcp__github__create'];
    expect(pool({ tools: ['mcp__github'] })).toEqual(github);
    expect(pool({ tools: ['mcp__github__*'] })).toEqual(github);
    expect(pool({ tools: ['mcp__github__search'] })).toEqual(['mcp__github__search']);
    expect(pool({ tools: ['mcp__git'] })).toContain('None of the tools');
  });

  it('AG-12: Task is another name of Agent', () => {
    expect(pool({ tools: ['Task'] })).toEqual(['Agent']);
    expect(pool({ disallowedTools: ['Task'] })).not.toContain('Agent');
  });

  it.each([
    [1, 3, true],
    [2, 3, true],
    [3, 3, false],
    [1, 1, false],
    [1, 2, true],
    [2, 2, false],
  ])('AG-14: a child at depth %i of %i has the Agent tool: %s', (depth, maxDepth, has) => {
    expect(pool({}, depth, maxDepth).includes('Agent')).toBe(has);
  });

  it('AG-12: Bash(git diff:*) means the tool; what is in the parentheses is the gate’s', () => {
    expect(pool({ tools: ['Read', 'Bash(git diff:*)'] })).toEqual(['Read', 'Bash']);
    expect(pool({ tools: ['Read', 'Bash'], disallowedTools: ['Bash(rm:*)'] })).toEqual(['Read', 'Bash']);
    const limits = (tools: string[], disallowedTools: string[] = []) => toolLimits({ tools, disallowedTools });
    expect(limits(['Read', 'Bash(git diff:*)'], ['Bash(rm:*)', 'Edit'])).toEqual({
      only: ['Bash(git diff:*)'],
      never: ['Bash(rm:*)'],
    });
    expect(limits(['Bash', 'Bash(git diff:*)', 'Agent'])).toEqual({ only: [], never: [] });
  });

  it('AG-5: a list of which nothing resolves is refused with the names and the nearest spellings', () => {
    const reason = pool({ tools: ['Raed', 'Bsh'] });
    expect(reason).toContain('Raed (nearest: Read');
    expect(reason).toContain('Bsh (nearest: Bash');
    expect(reason).toContain('/p/.claude/agents/one.md');
    expect(pool({ tools: ['Raed', 'Bash'] })).toEqual(['Bash']);
    expect(pool({ tools: [] })).toEqual([]);
  });
});
