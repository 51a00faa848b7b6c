/** A client as a process of its own, to be killed: one query of the Agent SDK. Prints a word for each thing that happens. */

import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk';

const { moment, prompt, ...options } = JSON.parse(process.argv[2]);

function tell(word) {
  process.stdout.write(`${word}\n`);
}

/** Says that it was called, and never answers. */
function never(word) {
  return () => {
    tell(word);
    return new Promise(() => {});
  };
}

const WAITS = {
  ask: { canUseTool: never('ask') },
  hook: { hooks: { PreToolUse: [{ hooks: [never('hook')] }] } },
  start: { hooks: { SessionStart: [{ hooks: [never('start')] }] } },
  mcp: {
    mcpServers: {
      s: createSdkMcpServer({ name: 's', tools: [tool('wait', 'waits', {}, never('mcp'))] }),
    },
    allowedTools: ['mcp__s__wait'],
  },
};

/** Ends at once with `closed`: the SDK closes the program's input then. */
async function* prompts() {
  yield { type: 'user', message: { role: 'user', content: prompt }, parent_tool_use_id: null };
  if (moment !== 'closed') await new Promise(() => {});
}

const bypass = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };
const more = WAITS[moment] ?? bypass;
for await (const line of query({ prompt: prompts(), options: { includePartialMessages: true, ...options, ...more } })) {
  tell(line.type);
}
