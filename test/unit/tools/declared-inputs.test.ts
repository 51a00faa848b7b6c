/** What tools declare is kept as JSON, made from the schemas that parse their inputs. `npx vitest run test/unit/tools -u` makes it again. */

import { expect, it } from 'vitest';
import { createSearchListing } from '../../../src/agents/skills/search-listing.js';
import { createSkillTool } from '../../../src/agents/skills/skill-tool.js';
import { createAgentTool } from '../../../src/agents/tools/agent-tool.js';
import { createSendMessageTool } from '../../../src/agents/tools/send-message-tool.js';
import { createTaskTools } from '../../../src/agents/tools/task-tools.js';
import { BUILT_IN_TOOLS } from '../../../src/tools/registry.js';
import type { Tool } from '../../../src/tools/tool.js';
import { createWebSearchTool } from '../../../src/tools/web/web-search.js';
import { toJsonSchema, type ZodTool } from '../../../src/tools/zod-tool.js';

/** A line for each tool. */
function declaredBy(tools: readonly Tool[]): string {
  const lines = tools.map((tool) => {
    const schema = toJsonSchema((tool as ZodTool<unknown>).schema());
    return `${JSON.stringify(tool.name)}: ${JSON.stringify(schema)}`;
  });
  return `{\n${lines.join(',\n')}\n}\n`;
}

const never = () => {
  throw new Error('nothing runs here');
};

it('SF-14: the built-in tools declare what their schemas accept', async () => {
  const tools = [...BUILT_IN_TOOLS, createWebSearchTool(never) as Tool];
  await expect(declaredBy(tools)).toMatchFileSnapshot('../../../src/tools/declared-inputs.json');
});

it('SF-14: so do the tools that start and reach agents', async () => {
  const rules = { forkAvailable: true, backgroundAvailable: true };
  const tools = [
    createAgentTool(never, rules, ''),
    createSendMessageTool(never, rules),
    ...createTaskTools(never),
    createSkillTool(never, ''),
    createSearchListing(never),
  ];
  await expect(declaredBy(tools as readonly Tool[])).toMatchFileSnapshot(
    '../../../src/agents/tools/declared-inputs.json',
  );
});

it('SF-14: where something is not available, only that is left out', () => {
  const declared = (forkAvailable: boolean, backgroundAvailable: boolean) =>
    createAgentTool(never, { forkAvailable, backgroundAvailable }, '').inputSchema;
  const whole = declared(true, true).properties as Record<string, unknown>;
  const { fork, run_in_background, ...always } = whole;
  expect(fork).toMatchObject({ type: 'boolean' });
  expect(run_in_background).toMatchObject({ type: 'boolean' });
  expect(declared(false, false)).toEqual({ ...declared(true, true), properties: always });
  expect(declared(true, false).properties).toEqual({ ...always, fork });
  expect(declared(false, true).properties).toEqual({ ...always, run_in_background });
});
