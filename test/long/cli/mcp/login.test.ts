/** `coppice mcp login` and `logout` with the real program: browser, paste, terminal, refusals, exit codes (MC-8, MC-24). */

import { describe, expect, it } from 'vitest';
import { addressIn, setLoginStage } from '../../../program/cli/mcp/login-stage.js';
import { json } from '../../../support/mcp/authorisation-server.js';
import { browse } from '../../../support/mcp/sign-in-actor.js';
import { runProgram } from '../../../support/program.js';

describe('coppice mcp login', () => {
  it('MC-24: without a screen no browser is tried, and the callback still works', async () => {
    const stage = await setLoginStage();
    const run = stage.pipe(stage.login());
    await run.until('paste it here');
    expect(run.stdout()).toContain('No browser could be opened.');
    await browse(addressIn(run.stdout(), stage.servers.issuer));
    expect(await run.ended).toBe(0);
  });

  it('MC-24: Ctrl+C ends the wait with 130, at a terminal and by a signal', async () => {
    const stage = await setLoginStage();
    const screen = stage.screen(stage.login('--no-browser'));
    await screen.until('Or paste the URL');
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

  it('MC-8: a stdio server and an unknown name are a usage error, with what there is', async () => {
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
