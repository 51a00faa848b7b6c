/** `coppice mcp login` and `logout` with the real program: browser, paste, terminal, refusals, exit codes (MC-8, MC-24). */

import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../../../support/program.js';
import { addressIn, setLoginStage } from './login-stage.js';

describe('coppice mcp login', () => {
  it('MC-8: opens the browser, waits for its callback and shows who signed in; logout revokes', async () => {
    const stage = await setLoginStage();
    const folder = join(stage.home, 'bin');
    await mkdir(folder);
    await writeFile(
      join(folder, 'xdg-open'),
      `#!/bin/sh\nexec "${process.execPath}" -e 'fetch(process.argv[1])' "$1"\n`,
    );
    await chmod(join(folder, 'xdg-open'), 0o755);
    const env = { ...stage.env, PATH: `${folder}${delimiter}${stage.env.PATH}`, DISPLAY: ':0' };
    const done = await runProgram(stage.login(), { cwd: stage.folder, env });
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout).toMatch(/^Opening a browser\./);
    expect(done.stdout).toContain(`Signed in to guarded (${stage.servers.issuer}).\n`);
    for (const secret of stage.servers.valid) expect(done.stdout).not.toContain(secret);
    const out = await runProgram(['mcp', 'logout', 'guarded'], stage.at);
    expect(out).toMatchObject({ code: 0, stdout: 'Signed out of guarded; its tokens were revoked.\n' });
    expect(stage.servers.revoked).toHaveLength(2);
    const again = await runProgram(['mcp', 'logout', 'guarded'], stage.at);
    expect(again).toMatchObject({ code: 0, stdout: 'You were not signed in to guarded.\n' });
  });

  it('MC-24: --no-browser prints the address and takes the pasted redirect, over a pipe', async () => {
    const stage = await setLoginStage();
    const run = stage.pipe(stage.login('--no-browser'), { DISPLAY: ':0' });
    await run.until('paste it here');
    const address = addressIn(run.stdout(), stage.servers.issuer);
    const { headers } = await fetch(address, { redirect: 'manual' });
    run.say('http://localhost/callback?code=1&state=2');
    await run.until("This can't be used");
    run.say(headers.get('location') ?? '');
    expect(await run.ended).toBe(0);
    expect(run.stdout()).toContain('Signed in to guarded');
    expect(run.stderr()).toBe('');
  });

  it('MC-24: at a terminal a long address can be pasted, and a secret is asked for without being shown', async () => {
    const stage = await setLoginStage({ clientId: 'mine' });
    stage.servers.behaviour.metadata = { token_endpoint_auth_methods_supported: ['client_secret_basic'] };
    stage.servers.behaviour.callback = { session_state: 'x'.repeat(6_000) };
    const screen = stage.screen(stage.login('--no-browser'));
    await screen.until('Client secret of mine');
    screen.type('hush-hush\r');
    await screen.until('Or paste the URL');
    const address = addressIn(screen.text(), stage.servers.issuer);
    const { headers } = await fetch(address, { redirect: 'manual' });
    screen.type(`${headers.get('location')}\r`);
    expect(await screen.ended).toBe(0);
    expect(screen.text()).toContain('Signed in to guarded');
    expect(screen.raw()).not.toContain('hush');
    expect(stage.servers.requests('/token')[0]?.headers.authorization).toBe(`Basic ${btoa('mine:hush-hush')}`);
  });
});
