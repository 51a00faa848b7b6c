/** Signing out: revoked where it was issued, and forgotten here whatever happens there (MC-8). */

import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { coppiceHome, signInFile } from '../../../../../src/config/paths.js';
import { signOut } from '../../../../../src/tools/mcp/oauth/sign-out.js';
import { readSignIn } from '../../../../../src/tools/mcp/oauth/stored-sign-in.js';
import { type SignInStage, setSignInStage } from '../../../../support/mcp/authorisation-server.js';
import { act, makeHost, remote } from '../../../../support/mcp/sign-in-actor.js';

async function signedIn(change: (stage: SignInStage) => void = () => {}) {
  const stage = await setSignInStage();
  change(stage);
  const host = await makeHost();
  const server = remote(stage.mcpUrl);
  await act({ server, host });
  const found = await readSignIn(host, new URL(stage.mcpUrl));
  if (found.kind !== 'read') throw new Error('not signed in');
  const out = () => signOut({ server, host, signal: new AbortController().signal });
  const file = signInFile(coppiceHome(host.env), stage.mcpUrl);
  return { stage, host, server, file, tokens: found.signIn, out };
}

describe('signing out', () => {
  it('MC-8: revokes both tokens, removes the file, and reports when there was nothing', async () => {
    const { stage, file, tokens, out } = await signedIn();
    expect(await out()).toEqual({ ok: true, kind: 'signed-out', issuer: stage.issuer });
    expect(stage.revoked).toEqual([tokens.refresh_token, tokens.access_token]);
    expect(stage.requests('/revoke')[0]?.params.get('client_id')).toBe(tokens.client.client_id);
    expect(await stat(file).catch(() => 'gone')).toBe('gone');
    expect(await out()).toEqual({ ok: true, kind: 'not-signed-in' });
  });

  it('MC-8: removes the tokens even if they can’t be revoked, and explains why', async () => {
    const none = await signedIn(({ behaviour }) => {
      behaviour.metadata = { revocation_endpoint: undefined };
    });
    expect(await none.out()).toMatchObject({ ok: true, notRevoked: 'it offers no way to revoke tokens' });
    const broken = await signedIn(({ behaviour }) => {
      behaviour.instead = ({ path }) => (path === '/revoke' ? { status: 500 } : undefined);
    });
    expect(await broken.out()).toMatchObject({ ok: true, notRevoked: 'it answered HTTP 500' });
    const damaged = await signedIn();
    await writeFile(damaged.file, 'nonsense');
    expect(await damaged.out()).toMatchObject({ ok: true, notRevoked: expect.stringContaining('is damaged') });
    const foreign = await signedIn();
    await rm(foreign.file);
    await mkdir(foreign.file);
    expect(await foreign.out()).toMatchObject({ ok: false, reason: expect.stringContaining("can't be read") });
    for (const { file } of [none, broken, damaged]) expect(await stat(file).catch(() => 'gone')).toBe('gone');
  });
});
