/** `coppice config` through the real program: every value with its origin, and what is wrong with its place. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, runProgram } from '../../support/program.js';
import { type Stage, setStage } from '../../support/story.js';

beforeAll(buildProgram);

const config = (stage: Stage, ...args: string[]) => runProgram(['config', ...args], stage.at);

async function put(path: string, value: unknown): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
}

describe('coppice config', () => {
  it('GT-1: the highest layer wins and is named; lists show each item with its file', async () => {
    const stage = await setStage();
    const own = await stage.settings({ model: 'haiku', permissions: { deny: ['Bash(a)'] } });
    const shared = await put(join(stage.folder, '.claude', 'settings.json'), {
      model: 'sonnet',
      permissions: { deny: ['Bash(b)'] },
    });
    const local = await put(join(stage.folder, '.claude', 'settings.local.json'), { model: 'opus' });
    const managed = await put(join(stage.home, 'managed.json'), { stallMs: 5_000 });
    const { code, stdout, stderr } = await config(stage, '--trust');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const line = (text: string) => stdout.split('\n').find((one) => one.includes(text)) ?? '';
    expect(line('opus')).toContain(local);
    expect(line('Bash(a)')).toContain(own);
    expect(line('Bash(b)')).toContain(shared);
    expect(line('stallMs = 5000')).toContain(managed);
  });

  it('GT-2: coppice trust trusts a folder in which nothing acts, and takes it back', async () => {
    const stage = await setStage();
    const ask = async () =>
      (await runProgram(['permissions', 'test', '--confine', 'on', '--json', 'npm ls'], stage.at)).stdout;
    expect(await ask()).toContain('not trusted');
    const yes = await runProgram(['trust'], stage.at);
    expect({ code: yes.code, stdout: yes.stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is trusted'),
    });
    expect(await ask()).toContain('"confined":true');
    expect((await runProgram(['trust', '--remove'], stage.at)).code).toBe(0);
    expect(await ask()).toContain('not trusted');
  });

  it('GT-2: an untrusted folder: what waits for trust is marked; GT-3: what a project can never set is marked', async () => {
    const stage = await setStage();
    await put(join(stage.folder, '.claude', 'settings.json'), {
      permissions: { allow: ['Bash(make:*)'], defaultMode: 'bypassPermissions' },
      apiKeyHelper: 'print-key',
      env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' },
    });
    const untrusted = await config(stage);
    expect(untrusted.stdout).toMatch(/not trusted\)/);
    expect(untrusted.stdout).toMatch(/permissions\.allow = ignored, the folder is not trusted/);
    const trusted = await config(stage, '--trust');
    expect(trusted.stdout.split('\n').find((line) => line.includes('Bash(make:*)'))).not.toContain('ignored');
    for (const key of ['apiKeyHelper', 'permissions.defaultMode', 'ANTHROPIC_BASE_URL']) {
      expect(`${trusted.stdout}${trusted.stderr}`).toMatch(
        new RegExp(`${key.replace('.', '\\.')}.*(never|ignored|wider)`, 'i'),
      );
    }
  });

  it('GT-1: known keys we do nothing with are listed; unknown ones are one line in all', async () => {
    const stage = await setStage();
    await stage.settings({ verbose: true, spinnerVerbs: ['x'], frobnicate: 1, whatever: 2 });
    const { code, stdout, stderr } = await config(stage);
    expect(code).toBe(0);
    const all = `${stdout}${stderr}`;
    expect(all).toMatch(/spinnerVerbs.*not supported|spinnerVerbs.*unsupported/i);
    expect(all).toContain('verbose');
    const unknown = all.split('\n').filter((line) => line.includes('frobnicate') || line.includes('whatever'));
    expect(unknown).toHaveLength(1);
  });

  it.each([
    ['a wrong type', '{\n  "permissions": {\n    "deny": "Bash"\n  }\n}', /settings\.json:3.*permissions\.deny.*list/],
    ['a wrong mode', '{"permissions": {"defaultMode": "yolo"}}', /settings\.json:1.*defaultMode.*"acceptEdits"/],
    ['broken JSON', '{\n  "model": ,\n}', /settings\.json:2/],
    ['no object', '[]', /settings\.json.*object/],
  ])('GT-1: %s is an error with file, line and what is expected, exit 1', async (_what, text, said) => {
    const stage = await setStage();
    await put(join(stage.home, '.claude', 'settings.json'), text);
    const end = await config(stage);
    expect(end.code).toBe(1);
    expect(end.stderr).toMatch(said);
  });

  it('GT-1: --json is one object for programs, with errors in it', async () => {
    const stage = await setStage();
    await stage.settings({ model: 'sonnet', stallMs: 'soon' });
    const end = await config(stage, '--json');
    expect(end.code).toBe(1);
    const read = JSON.parse(end.stdout) as {
      trusted: boolean;
      settings: { key: string }[];
      errors: { line?: number }[];
    };
    expect(read.trusted).toBe(false);
    // A file with a mistake in it counts for nothing.
    expect(read.settings).toEqual([]);
    expect(read.errors).toMatchObject([{ line: expect.any(Number) }]);
  });
});
