/** CL-4: hooks of a client that fail: at each event as it is there, or as a no where the group says so. */

import { describe, expect, it } from 'vitest';
import { openSession } from '../../../src/front/sdk/open-session.js';
import { readingTool, setStage } from '../../support/story.js';

const broken = async () => {
  throw new Error('gone');
};
const lookTool = readingTool('Look', async () => 'seen');

describe('onFailure', () => {
  it.each([
    ['block', 'hook_stopped'],
    ['continue', 'completed'],
    [undefined, 'completed'],
  ] as const)('CL-4: %s at a prompt: %s', async (onFailure, reason) => {
    const stage = await setStage([{ reply: 'ok' }]);
    const group = { hooks: [broken], ...(onFailure === undefined ? {} : { onFailure }) };
    const session = await stage.open({ hooks: { UserPromptSubmit: [group] } });
    expect(await session.send('hello')).toMatchObject({ reason });
    expect(stage.sim.requests).toHaveLength(reason === 'completed' ? 1 : 0);
  });

  it('CL-4: a guard that fails blocks in any case', async () => {
    const stage = await setStage([
      { when: { result: 'Blocked' }, reply: 'it was blocked' },
      { reply: [{ tool: 'Look', input: {} }] },
    ]);
    const hooks = { PreToolUse: [{ hooks: [broken], onFailure: 'continue' as const }] };
    const session = await stage.open({ hooks, tools: [lookTool] });
    expect(await session.send('hello')).toMatchObject({ text: 'it was blocked' });
  });

  it('CL-4: where no hook can block, none does', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    const session = await stage.open({ hooks: { SessionStart: [{ hooks: [broken], onFailure: 'block' }] } });
    expect(await session.send('hello')).toMatchObject({ reason: 'completed' });
  });
});

describe('allowBypass', () => {
  it('CL-2: lets a session be switched to bypassPermissions, and begin in another mode', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    const session = await stage.open({ allowBypass: true });
    expect(session.mode).toBe('default');
    expect(await session.execute({ type: 'set-mode', mode: 'bypassPermissions' })).toEqual({ ok: true });
    const other = await stage.open();
    expect(await other.execute({ type: 'set-mode', mode: 'bypassPermissions' })).toMatchObject({ ok: false });
  });

  it('CL-2 GT-9: does nothing against settings that switch it off', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.settings({ permissions: { disableBypassPermissionsMode: 'disable' } });
    const session = await stage.open({ allowBypass: true });
    expect(await session.execute({ type: 'set-mode', mode: 'bypassPermissions' })).toMatchObject({
      ok: false,
      reason: expect.stringContaining('disableBypassPermissionsMode'),
    });
    const opened = await openSession({ cwd: stage.folder, env: stage.env, permissionMode: 'bypassPermissions' });
    expect(opened).toMatchObject({ ok: false });
  });
});
