/** Tokens in use: from disk, renewed once under a lock, kept through trouble, never for anybody else (MC-25). */

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bundle } from '../../../support/bundle.js';
import { scratchFolder } from '../../../support/scratch.js';
import { signedIn } from '../../../unit/tools/mcp/oauth/open-auth-stage.js';

describe('a token', () => {
  it('MC-25: is renewed once by processes that find it refused at the same time; a rotating refresh token survives', async () => {
    const { stage, host, refreshes, kept } = await signedIn();
    const program = await bundle(
      new URL('../../../unit/tools/mcp/oauth/refresh-child.ts', import.meta.url),
      await scratchFolder(),
    );
    const children = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const child = spawn(process.execPath, [program, host.folder, stage.mcpUrl], {
          stdio: ['pipe', 'pipe', 'inherit'],
        });
        onTestFinished(() => void child.kill('SIGKILL'));
        const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
        expect((await lines.next()).value).toBe('ready');
        return { child, lines };
      }),
    );
    stage.expireAll();
    for (const { child } of children) child.stdin.write('go\n');
    const said = await Promise.all(children.map(async ({ lines }) => JSON.parse((await lines.next()).value ?? '{}')));
    const { access_token } = await kept();
    expect(said.map(({ after, error }) => error ?? after)).toEqual(Array(4).fill(access_token));
    expect(refreshes()).toBe(1);
    expect(stage.valid).toEqual(new Set([access_token]));
  });
});
