/**
 * Runs a tool of the main agent for a client, without a model: the loop's own way of a call, with its hooks, gate and
 * records. It is marked as no part of the conversation, so that later requests stay what they would have been.
 */

import { runToolCall } from '../../loop/run-tool-call.js';
import { text } from '../../protocol/blocks.js';
import type { CommandOf } from '../../protocol/commands.js';
import { findTool } from '../../tools/registry.js';
import type { Engine } from '../engine.js';
import type { CalledTool } from './command-results.js';

export async function callTool(engine: Engine, { call, tool, input }: CommandOf<'call-tool'>): Promise<CalledTool> {
  const { runtime, driver, calls, tools } = engine;
  const named = findTool(tools, tool);
  const use = { type: 'tool_use', id: call, name: tool, input } as const;
  const end = await calls.run(
    call,
    async (signal) => runToolCall({ agent: await engine.ready(), ports: runtime.ports, signal }, { use, aside: true }),
    {
      concurrent: named?.concurrent === true,
      prepare: async () => {
        const main = await engine.ready();
        // A child, and a tool of a server, need those that are still connecting; others don't wait for them.
        const needsServers = named?.startsChild === true || tool.startsWith('mcp__');
        if (needsServers) await engine.toolChanges.waitForServers(driver.begin());
        if (driver.working === undefined) await engine.refresh(main);
      },
    },
  );
  if (end === undefined) return { ok: false, reason: `the call ${call} is under way already` };
  const { isError = true, content = [] } = end.outcome ?? {};
  const stopped = end.stop === undefined ? [] : [text(`A hook wants the work ended: ${end.stop}`)];
  return { ok: true, isError, content: [...content, ...stopped] };
}
