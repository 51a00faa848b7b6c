/** What a session tells of itself, and what it changes in settings: the commands behind the requests of clients. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { setStage } from '../support/story.js';

describe('settings of a session', () => {
  it('CL-3: a rule that the person answered stays theirs when a client changes the same file', async () => {
    const stage = await setStage([
      { when: { result: { tool: 'Bash' } }, reply: 'Done.' },
      { reply: [{ tool: 'Bash', input: { command: 'touch made' } }] },
    ]);
    let asked = 0;
    const onPermission = async () => {
      asked += 1;
      return { behavior: 'allow', always: [{ kind: 'rule', rule: 'Bash(touch made)', where: 'local' }] } as const;
    };
    const session = await stage.open({ onPermission });
    await session.send('go');
    const done = await session.execute({ type: 'change-settings', source: 'local', settings: { model: 'haiku' } });
    expect(done).toMatchObject({ ok: true, applied: ['model'] });
    await session.close();
    const next = await stage.open({ onPermission });
    expect(next.model).toBe('claude-haiku-5-5');
    await next.send('go');
    expect(asked).toBe(1);
    const file = join(stage.folder, '.claude', 'settings.local.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ permissions: { allow: ['Bash(touch made)'] } });
  });

  it('CL-3: the person’s answers are among the rules', async () => {
    const stage = await setStage([
      { when: { result: { tool: 'Bash' } }, reply: 'Done.' },
      { reply: [{ tool: 'Bash', input: { command: 'touch made' } }] },
    ]);
    const session = await stage.open({
      onPermission: async () => ({
        behavior: 'allow',
        always: [{ kind: 'rule', rule: 'Bash(touch made)', where: 'session' }],
      }),
    });
    await session.send('go');
    expect(await session.execute({ type: 'permission-rules' })).toEqual({
      ok: true,
      rules: { rules: [{ behavior: 'allow', rule: 'Bash(touch made)', source: 'session' }], folders: [] },
    });
  });
});

describe('how it is signed in', () => {
  it('CL-3: account names where the key comes from, and the server without a password', async () => {
    const stage = await setStage([]);
    const url = new URL(stage.sim.url);
    const ANTHROPIC_BASE_URL = `http://me:hunter2@${url.host}/v0`;
    const session = await stage.open({
      env: { ...stage.env, ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY: undefined, ANTHROPIC_AUTH_TOKEN: 'hunter2' },
    });
    expect(await session.execute({ type: 'account' })).toEqual({
      ok: true,
      account: { source: 'ANTHROPIC_AUTH_TOKEN', endpoint: `http://${url.host}/v0` },
    });
  });
});
