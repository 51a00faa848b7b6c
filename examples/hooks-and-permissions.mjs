/** Hooks as functions that see and deny calls, and a handler for permission questions. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createSession } from 'coppice';
import { startSim } from 'coppice/sim';
import { scratchEnv } from './scratch-env.mjs';

/** @param {string} command */
const bash = (command) => ({ tool: 'Bash', input: { command } });
const sim = await startSim({
  scenario: [
    { when: { nth: 1 }, reply: [bash('touch allowed'), bash('touch denied'), bash('touch forbidden')] },
    { reply: 'One of three.' },
  ],
});
const { env, cwd, remove } = await scratchEnv(sim.url);

/** @type {string[]} */
const asked = [];
const session = await createSession({
  cwd,
  env,
  hooks: {
    PreToolUse: [
      {
        matcher: 'Bash',
        hooks: [
          ({ tool_name, tool_input }) =>
            tool_name === 'Bash' && tool_input.command.includes('forbidden')
              ? {
                  hookSpecificOutput: {
                    hookEventName: 'PreToolUse',
                    permissionDecision: 'deny',
                    permissionDecisionReason: 'not here',
                  },
                }
              : undefined,
        ],
      },
    ],
  },
  onPermission: async ({ call }) => {
    if (call.tool !== 'Bash') return { behavior: 'deny' };
    asked.push(call.input.command);
    return call.input.command.includes('allowed') ? { behavior: 'allow' } : { behavior: 'deny', reason: 'rather not' };
  },
});
const end = await session.send('Make three files.');
await session.close();

assert.equal(end.reason, 'completed');
assert.deepEqual(asked, ['touch allowed', 'touch denied']);
assert.deepEqual(
  ['allowed', 'denied', 'forbidden'].map((name) => existsSync(join(cwd, name))),
  [true, false, false],
);
await sim.close();
await remove();
console.log('ok');
