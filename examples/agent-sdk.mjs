/** The Agent SDK's `query()` on Coppice: a hook that denies, and an answer to a permission question. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { query } from '@anthropic-ai/claude-agent-sdk';
import { startSim } from 'coppice/sim';
import { scratchEnv } from './scratch-env.mjs';

/** @param {string} command */
const bash = (command) => ({ tool: 'Bash', input: { command } });
const sim = await startSim({
  scenario: [{ when: { nth: 1 }, reply: [bash('touch allowed'), bash('touch forbidden')] }, { reply: 'One of two.' }],
});
const { env, cwd, remove } = await scratchEnv(sim.url);

/** @type {unknown[]} */
const asked = [];
const messages = query({
  prompt: 'Make two files.',
  options: {
    pathToClaudeCodeExecutable: fileURLToPath(new URL('../dist/cli.js', import.meta.url)),
    cwd,
    env,
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            async (input) =>
              input.hook_event_name === 'PreToolUse' && JSON.stringify(input.tool_input).includes('forbidden')
                ? {
                    hookSpecificOutput: {
                      hookEventName: 'PreToolUse',
                      permissionDecision: 'deny',
                      permissionDecisionReason: 'not here',
                    },
                  }
                : {},
          ],
        },
      ],
    },
    canUseTool: async (_, input) => {
      asked.push(input.command);
      return { behavior: 'allow', updatedInput: input };
    },
  },
});
/** @type {string[]} */
const results = [];
for await (const message of messages) {
  if (message.type === 'result') results.push(message.subtype === 'success' ? message.result : message.subtype);
}
await sim.close();

assert.deepEqual(results, ['One of two.']);
assert.deepEqual(asked, ['touch allowed']);
assert.equal(existsSync(join(cwd, 'allowed')), true);
assert.equal(existsSync(join(cwd, 'forbidden')), false);
await remove();
console.log('ok');
