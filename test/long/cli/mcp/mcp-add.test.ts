/** What `coppice mcp add` and `approve` say and leave behind next to the entry itself (MC-8, MC-11). */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of entries are written so.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, runProgram } from '../../../support/program.js';
import { setStage } from '../../../support/story.js';

beforeAll(buildProgram);

const setUp = async () => {
  const stage = await setStage();
  const git = (...args: string[]) => execFileSync('git', args, { cwd: stage.folder, encoding: 'utf8' });
  const run = async (...args: string[]) => runProgram(['mcp', ...args], stage.at);
  return { ...stage, git, run };
};

describe('MC-8: adding', () => {
  it("MC-8: what is this user's alone stays out of git, and a message is printed only if that fails", async () => {
    const stage = await setUp();
    stage.git('init', '-q');
    await runProgram(['trust'], stage.at);
    expect(await stage.run('add', 'a', '-e', 'API_KEY=hush', '--', 'x')).toMatchObject({ code: 0, stderr: '' });
    expect(stage.git('status', '--porcelain', '--untracked-files=all')).not.toContain('settings.local.json');
    await stage.run('add', 'b', '-s', 'project', '--', 'x');
    expect(stage.git('status', '--porcelain', '--untracked-files=all')).toContain('.mcp.json');
    const exclude = join(stage.folder, '.git/info/exclude');
    await rm(exclude);
    await writeFile(join(stage.home, 'elsewhere'), '');
    await symlink(join(stage.home, 'elsewhere'), exclude);
    const told = await stage.run('add', 'c', '--', 'x');
    expect(told).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^git .*settings\.local\.json.* untracked.*\n$/),
    });
    expect(await readFile(join(stage.home, 'elsewhere'), 'utf8')).toBe('');
  });

  it('MC-8: flags of the command without -- : it shows where to put it', async () => {
    const stage = await setUp();
    expect(await stage.run('add', 'bar', 'npx', '-y', 'pkg')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/unknown option '-y'\n.*Put -- before the command of a server/s),
    });
    expect((await stage.run('add', 'bar')).stderr).not.toContain('Put --');
  });

  it('MC-8: a name that is none for an object is refused', async () => {
    const stage = await setUp();
    for (const args of [
      ['add', '__proto__', '--', 'x'],
      ['add-json', '__proto__', '{"command": "x"}'],
    ]) {
      expect(await stage.run(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining('not __proto__') });
    }
    expect(existsSync(join(stage.folder, '.claude'))).toBe(false);
  });

  it('MC-8: a secret that is written out in a file that is usually committed: a warning, with the other way', async () => {
    const stage = await setUp();
    await runProgram(['trust'], stage.at);
    const url = 'https://x.example/mcp';
    const add = (name: string, scope: string, ...args: string[]) => stage.run('add', name, '-s', scope, ...args);
    const literal = await add('a', 'project', '-t', 'http', url, '-H', 'Authorization: Bearer abc123');
    expect(literal).toMatchObject({ code: 0 });
    expect(literal.stderr).toMatch(
      /^headers.Authorization looks like a secret, and .*\.mcp\.json is usually committed: write \$\{NAME\}/,
    );
    expect(literal.stderr).not.toContain('abc123');
    expect((await add('b', 'project', '-e', 'API_KEY=abc', '--', 'x')).stderr).toContain(
      'env.API_KEY looks like a secret',
    );
    expect((await add('c', 'project', '-e', 'API_KEY=${API_KEY}', '-e', 'LEVEL=1', '--', 'x')).stderr).not.toContain(
      'secret',
    );
    expect((await add('d', 'local', '-e', 'API_KEY=abc', '--', 'x')).stderr).toBe('');
  });

  it('MC-1: keys that have no effect are reported where the entry is added or shown', async () => {
    const stage = await setUp();
    const entry = { command: 'x', cwd: './sub', disabled: true, url2: 1, _note: 'mine', description: 'mine' };
    const added = await stage.run('add-json', 'a', '-s', 'user', JSON.stringify(entry));
    const lines = [
      'its "cwd" has no effect here: a server runs in the folder that coppice is started in',
      'its "disabled" has no effect here: name the server in disabledMcpjsonServers of your settings, or remove it',
      'its "url2" has no effect here',
    ];
    expect(added).toMatchObject({ code: 0, stderr: lines.map((line) => `${line}\n`).join('') });
    const { stdout } = await stage.run('get', 'a');
    for (const line of lines) expect(stdout).toContain(`  ! ${line}\n`);
    expect(stdout).not.toContain('_note" has');
    const web = { type: 'http', url: 'https://x.example', command: 'x', oauth: { clientSecret: 'x', clientId: 'y' } };
    expect((await stage.run('add-json', 'b', '-s', 'user', JSON.stringify(web))).stderr).toBe(
      'its "command" has no effect here\nits "oauth.clientSecret" has no effect here\n',
    );
  });
});

describe('MC-11: approving in a folder that is not trusted', () => {
  it('MC-11: shows that trust is needed too, and afterwards no longer to approve', async () => {
    const stage = await setUp();
    await mkdir(join(stage.folder, '.git'));
    await stage.write('.mcp.json', JSON.stringify({ mcpServers: { a: { command: 'x' } } }));
    expect((await stage.run('approve')).stderr).toContain('coppice trust');
    expect((await stage.run('approve', 'a')).stderr).toContain('coppice trust');
    expect((await stage.run('list')).stdout).toMatch(/not approved: the folder is not trusted: run coppice trust\n/);
    expect((await stage.run('approve', 'a')).stderr).toMatch(/run coppice trust\n$/);
    await runProgram(['trust'], stage.at);
    expect((await stage.run('list')).stdout).toContain('a  stdio  may run');
  });
});
