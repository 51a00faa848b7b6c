/**
 * Runs a command line that you typed (`!`): a call of Bash aside from the conversation, with its hooks, rules and
 * records. The command and its output then join the conversation as input that wakes no agent.
 */

import { asReminder } from '../../agents/prompt/attach-files.js';
import { runToolCall } from '../../loop/run-tool-call.js';
import type { CommandOf } from '../../protocol/commands.js';
import { neutralizeTags } from '../../protocol/tags.js';
import { BUILT_IN_TOOLS, findTool } from '../../tools/registry.js';
import type { Engine } from '../engine.js';
import type { CalledTool } from './command-results.js';

/** You can interrupt it. */
const LONGEST_MS = 600_000;

export async function runShellLine(engine: Engine, { call, command }: CommandOf<'shell'>): Promise<CalledTool> {
  const line = command.trim();
  if (line === '') return { ok: false, reason: 'no command after the !' };
  const { ports } = engine.runtime;
  // Also if agents don't have it.
  const tool = findTool(engine.tools, 'Bash') ?? findTool(BUILT_IN_TOOLS, 'Bash');
  if (tool === undefined) return { ok: false, reason: 'no shell is available' };
  const use = { type: 'tool_use', id: call, name: tool.name, input: { command: line, timeout: LONGEST_MS } } as const;
  const end = await engine.calls.run(
    call,
    async (signal) => {
      const agent = await engine.ready();
      const done = await runToolCall({ agent, ports, signal }, { use, aside: true, typed: true, tool });
      // A command that never ran is not worth reporting.
      if (done.effects !== true || done.outcome === undefined) return done;
      const shell = { call, command: line };
      const blocks = asReminder(neutralizeTags(`${HEAD}\n$ ${line}`), done.outcome.content);
      await agent.inbox.admit({ origin: 'shell', key: `shell ${call}`, shell }, blocks);
      return done;
    },
    { concurrent: false },
  );
  if (end === undefined) return { ok: false, reason: `the call ${call} is already running` };
  const { isError = true, content = [] } = end.outcome ?? {};
  return { ok: true, isError, content };
}

const HEAD = 'The person ran this themselves, in the shell. It is for you to know; there is nothing to answer.';
