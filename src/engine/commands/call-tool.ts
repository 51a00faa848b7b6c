/**
 * Runs a tool of the main agent for a client, without a model: through the loop, with its hooks, gate and records. It
 * is marked as outside the conversation, so that later requests stay the same.
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
        // Children and server tools need the servers that are still connecting; other tools don't wait for them.
        const needsServers = named?.startsChild === true || tool.startsWith('mcp__');
        if (needsServers) await engine.toolChanges.waitForServers(driver.begin());
        if (driver.working === undefined) await engine.refresh(main);
      },
    },
  );
  if (end === undefined) return { ok: false, reason: `the call ${call} is already running` };
  const { isError = true, content = [] } = end.outcome ?? {};
  const stopped = end.stop === undefined ? [] : [text(`A hook wants the work ended: ${end.stop}`)];
  return { ok: true, isError, content: [...content, ...stopped] };
}
