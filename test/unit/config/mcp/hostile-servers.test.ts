/** A project may put anything where its servers are expected (GT-32): it costs a line, nothing more. */

import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findUnapprovedServers } from '../../../../src/config/mcp/find-unapproved-servers.js';
import { mcp, runs, setServersStage } from './servers-stage.js';

describe('MC-10: hostile files', () => {
  it.each([
    ['50 MB', Buffer.alloc(50 * 1024 * 1024, 32), /too large/],
    ['no JSON', 'PRIVATE {', /not valid JSON/],
    ['a list', '[]', /expected an object/],
    ['servers that are a list', '{"mcpServers": []}', /must be an object/],
    ['nested without end', `{"mcpServers":{"a":${'[['.repeat(200_000)}${']]'.repeat(200_000)}}}`, /nested too deeply/],
  ])('MC-10: .mcp.json of %s', async (_, content, words) => {
    const stage = setServersStage();
    stage.write('home/.claude/settings.json', mcp({ mine: runs('x') }));
    stage.write('project/.mcp.json', content);
    const found = await stage.find();
    expect(found.servers.map(({ name }) => name)).toEqual(['mine']);
    expect(found.warnings).toEqual([expect.stringMatching(words)]);
    expect(found.warnings.join()).not.toContain('PRIVATE');
  });

  it('MC-10: a FIFO is not waited for; a link out of the project is followed once it is trusted', async () => {
    const stage = setServersStage();
    const file = join(stage.project, '.mcp.json');
    execFileSync('mkfifo', [file]);
    expect((await stage.find()).warnings).toEqual([expect.stringContaining('not a regular file')]);
    rmSync(file);
    symlinkSync(stage.write('elsewhere.json', mcp({ linked: runs('x') })), file);
    const untrusted = await stage.find({ trusted: false });
    expect(untrusted).toMatchObject({ skipped: [], warnings: [expect.stringContaining('outside the project')] });
    expect(await findUnapprovedServers(await stage.question({ trusted: false }), [])).toEqual([]);
    expect((await stage.find()).skipped).toMatchObject([{ name: 'linked', status: 'not-approved' }]);
    rmSync(file);
    symlinkSync('/dev/zero', file);
    expect((await stage.find()).warnings).toEqual([expect.stringContaining('a part of the running system')]);
  });

  it('MC-10: names that harm or hide', async () => {
    const stage = setServersStage();
    const entry = '{"command": "x"}';
    const names = [
      '__proto__',
      'constructor',
      'a\u001b[2Jb',
      'bidi\u202etxt',
      ' ',
      '',
      'x'.repeat(10_000),
      'fine name',
    ];
    stage.write('project/.mcp.json', `{"mcpServers": {${names.map((name) => `${JSON.stringify(name)}: ${entry}`)}}}`);
    const { servers, skipped, warnings } = await stage.find({ trustThisRun: true });
    expect(servers.map(({ name }) => name)).toEqual(['__proto__', 'constructor', 'fine name']);
    expect(skipped.map(({ reason }) => reason).sort()).toEqual([
      'its name has invisible characters',
      'its name has invisible characters',
      'its name is empty',
      'its name is empty',
      'its name is longer than 200 characters',
    ]);
    for (const text of [...skipped.map(({ name }) => name), ...warnings]) {
      expect(text.length).toBeLessThan(400);
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
    expect(({} as Record<string, unknown>).command).toBe(undefined);
  });
});
