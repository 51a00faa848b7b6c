/** CL-8: a client that lies: an error line or an error for an answer, and the session lives. */

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ASKS, start } from '../../../program/cli/clients/hostile/lying-client-stage.js';

const HOOK = { subtype: 'initialize', hooks: { PreToolUse: [{ hookCallbackIds: ['h'] }] } };

describe('answers', () => {
  it.each([
    null,
    7,
    'yes',
    [],
    {},
    { behavior: 'ALLOW' },
    { behavior: ['allow'] },
    { behavior: 'allow', updatedInput: 'rm' },
    { behavior: 'allow', updatedPermissions: [{ type: 'grantAll' }] },
    { behavior: 'deny', message: 5 },
    { behavior: 'deny', interrupt: 'yes' },
  ])('CL-8: %j to can_use_tool is a no', async (answer) => {
    const { stage, client } = await start(ASKS);
    client.request('1', { subtype: 'initialize' });
    client.prompt('go');
    client.reply((await client.asked('can_use_tool')).request_id, answer);
    expect(await client.end()).toBe(0);
    await expect(stage.read('made')).rejects.toThrow('ENOENT');
    expect(client.results()).toHaveLength(1);
  });

  it.each([
    'yes',
    7,
    true,
    [{}],
    { decision: 'perhaps' },
    { hookSpecificOutput: 'allow' },
    { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'maybe' } },
    { hookSpecificOutput: { hookEventName: 'PostToolUse', permissionDecision: 'deny' } },
    { continue: 'no' },
    { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput: 'touch other' } },
  ])('CL-8: %j of a hook before a call is no answer: the call does not run', async (answer) => {
    const { stage, client } = await start(['--allowedTools=Bash']);
    client.request('1', HOOK);
    client.prompt('go');
    client.reply((await client.asked('hook_callback')).request_id, answer);
    await client.until('"type":"result"');
    client.prompt('hello');
    expect(await client.end()).toBe(0);
    await expect(stage.read('made')).rejects.toThrow('ENOENT');
    expect(client.results().at(-1)).toBe('Here.');
  });
});

describe('lines', () => {
  it.each<[string, (line: string) => string | Buffer]>([
    ['is cut', (line) => line.slice(0, -4)],
    ['has a BOM', (line) => `\ufeff${line}`],
    ['is not UTF-8', (line) => Buffer.concat([Buffer.from(line.slice(0, -2)), Buffer.from([0x22, 0xff, 0x22, 0x7d])])],
    ['has an id of another type', (line) => line.replace('"request_id":"1"', '"request_id":1')],
    ['is too long', (line) => line.replace('"h"', `"${'h'.repeat(64 * 1024 * 1024)}"`)],
  ])('CL-1: an initialize that %s ends the run: no prompt is served without what it asked for', async (_, change) => {
    const { stage, client } = await start();
    client.child.stdin.write(change(JSON.stringify({ type: 'control_request', request_id: '1', request: HOOK })));
    client.child.stdin.write('\n');
    client.prompt('go');
    expect(await client.end()).toBe(2);
    expect(client.stderr()).toMatch(/^error: invalid input line 1: .*\n$/);
    expect(stage.sim.requests).toEqual([]);
    expect(client.results()).toEqual([]);
  });

  it('CL-8: 10,000 prompts at once: those that wait are answered, the others are error lines', async () => {
    const { client } = await start();
    client.prompt('go slow');
    for (let nth = 0; nth < 10_000; nth += 1) client.prompt(`prompt ${nth}`);
    client.request('stop', { subtype: 'interrupt', cancel_queued: true });
    expect(await client.answer('stop')).toMatchObject({ subtype: 'success' });
    client.prompt('last');
    expect(await client.end()).toBe(0);
    const errors = client.errors();
    expect(errors.at(-1)).toMatch(/^input line \d+: too many prompts, 1000 are already queued$/);
    expect(client.results().at(-1)).toBe('Here.');
    // Each was answered, dropped on request, or refused by name.
    expect(errors.length).toBeGreaterThan(8_000);
  });
});

describe('requests', () => {
  it('CL-8: a signal while the session opens ends it, without a trace of a crash', async () => {
    for (let wait = 0; wait < 500; wait += 60) {
      const { client } = await start();
      client.request('1', HOOK);
      await sleep(wait);
      client.child.kill('SIGTERM');
      const code = await client.ended;
      // Before it listens, the signal itself ends it.
      expect([143, null]).toContain(code);
      expect(client.stderr()).not.toMatch(/ at |Error/);
    }
  });
});
