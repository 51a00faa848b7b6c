/** `coppice mcp login` and `logout` with the real program: browser, paste, terminal, refusals, exit codes (MC-8, MC-24). */

import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { json, setSignInStage } from '../../../support/mcp/authorisation-server.js';
import { browse } from '../../../support/mcp/sign-in-actor.js';
import { runProgram } from '../../../support/program.js';
import { setPlainStage } from '../plain/plain-stage.js';

async function setLoginStage(oauth: object = {}) {
  const servers = await setSignInStage();
  const stage = await setPlainStage([]);
  await stage.settings({
    mcpServers: {
      guarded: { type: 'http', url: servers.mcpUrl, oauth },
      local: { command: 'true' },
    },
  });
  const login = (...args: readonly string[]) => ['mcp', 'login', 'guarded', ...args];
  return { ...stage, servers, login };
}

/** What is printed, broken into rows or not. */
function addressIn(text: string, issuer: string): string {
  const begin = text.indexOf(`${issuer}/authorize?`);
  return text.slice(begin).split(/\s/)[0] ?? '';
}

describe('coppice mcp login', () => {
  it('MC-8: opens the browser, waits for its callback and says who signed in; logout revokes', async () => {
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

  it('MC-24: without a screen no browser is tried, and the callback still works', async () => {
    const stage = await setLoginStage();
    const run = stage.pipe(stage.login());
    await run.until('paste it here');
    expect(run.stdout()).toContain('No browser could be opened.');
    await browse(addressIn(run.stdout(), stage.servers.issuer));
    expect(await run.ended).toBe(0);
  });

  it('MC-24: at a terminal a long address can be pasted, and a secret is asked for without being shown', async () => {
    const stage = await setLoginStage({ clientId: 'mine' });
    stage.servers.behaviour.metadata = { token_endpoint_auth_methods_supported: ['client_secret_basic'] };
    stage.servers.behaviour.callback = { session_state: 'x'.repeat(6_000) };
    const screen = stage.screen(stage.login('--no-browser'));
    await screen.until('Client secret of mine');
    screen.type('hush-hush\r');
    await screen.until('Or paste the address');
    const address = addressIn(screen.text(), stage.servers.issuer);
    const { headers } = await fetch(address, { redirect: 'manual' });
    screen.type(`${headers.get('location')}\r`);
    expect(await screen.ended).toBe(0);
    expect(screen.text()).toContain('Signed in to guarded');
    expect(screen.raw()).not.toContain('hush');
    expect(stage.servers.requests('/token')[0]?.headers.authorization).toBe(`Basic ${btoa('mine:hush-hush')}`);
  });

  it('MC-24: Ctrl+C ends the wait with 130, at a terminal and by a signal', async () => {
    const stage = await setLoginStage();
    const screen = stage.screen(stage.login('--no-browser'));
    await screen.until('Or paste the address');
    screen.type('\u0003');
    expect(await screen.ended).toBe(130);
    expect(screen.text()).toContain('error: the sign-in was cancelled');
    const run = stage.pipe(stage.login('--no-browser'));
    await run.until('paste it here');
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(143);
    expect(run.stderr()).toBe('error: the sign-in was cancelled\n');
  });

  it('MC-24: a refusal in the browser and a failure at the token endpoint end with 1 and the reason', async () => {
    const stage = await setLoginStage();
    stage.servers.behaviour.callback = {
      code: undefined,
      error: 'access_denied',
      error_description: 'not \u001b[2Jtoday',
    };
    const denied = stage.pipe(stage.login('--no-browser'));
    await denied.until('paste it here');
    await browse(addressIn(denied.stdout(), stage.servers.issuer));
    expect(await denied.ended).toBe(1);
    expect(denied.stderr()).toBe('error: the sign-in was refused: access_denied: not \\u{1b}[2Jtoday\n');
    stage.servers.behaviour.callback = {};
    stage.servers.behaviour.instead = ({ path }) =>
      path === '/token' ? json(400, { error: 'invalid_client' }) : undefined;
    const failed = stage.pipe(stage.login('--no-browser'));
    await failed.until('paste it here');
    await browse(addressIn(failed.stdout(), stage.servers.issuer));
    expect(await failed.ended).toBe(1);
    expect(failed.stderr()).toContain('invalid_client');
  });

  it('MC-8: a stdio server and an unknown name are wrong usage, with what there is', async () => {
    const stage = await setLoginStage();
    for (const command of ['login', 'logout']) {
      const local = await runProgram(['mcp', command, 'local'], stage.at);
      expect(local).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('only http and sse servers have a sign-in'),
      });
      const unknown = await runProgram(['mcp', command, 'guardet'], stage.at);
      expect(unknown).toMatchObject({ code: 2, stderr: expect.stringMatching(/no MCP server "guardet".*guarded/) });
    }
  });
});
