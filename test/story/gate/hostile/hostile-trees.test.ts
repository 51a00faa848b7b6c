/** A project nobody trusts may hold anything where a file of ours is expected: the start skips it (GT-32). */

import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, runProgram, startProgram } from '../../../support/program.js';
import { type Stage, setStage } from '../../../support/story.js';
import { openAnd, put, THINGS, type Thing } from './hostile-trees-stage.js';

beforeAll(buildProgram);

describe.each(Object.entries(THINGS))('%s', (_what, thing) => {
  it('GT-32 as what CLAUDE.md imports is skipped', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.write('CLAUDE.md', 'words @evil.md');
    await put(stage, 'evil.md', thing);
    expect(await openAnd(stage, 'evil.md')).toHaveLength(1);
    expect(JSON.stringify(stage.sim.requests[0]?.body.messages)).toContain('words @evil.md');
  });
});

describe('very much of it', () => {
  it('GT-32 imports, rules and definitions are read up to a limit, and one line reports it', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.write('CLAUDE.md', Array.from({ length: 20_000 }, (_, n) => `@no/${n}.md`).join('\n'));
    for (let n = 0; n < 12; n += 1) await stage.write(`.claude/rules/${n}.md`, 'x'.repeat(3 * 1024 * 1024));
    for (let n = 0; n < 40; n += 1) await stage.write(`.claude/agents/${n}.md`, 'x'.repeat(900 * 1024));
    const session = await stage.open();
    expect(session.warnings.filter((line) => line.includes('the instructions name more than'))).toHaveLength(1);
    expect(session.warnings.filter((line) => /^agent files: \d+ skipped/.test(line))).toHaveLength(1);
  });
});

describe('the program', () => {
  async function plantAll(): Promise<Stage> {
    const stage = await setStage([{ reply: 'ok' }]);
    const { 'a pipe': pipe, 'a link to /proc': proc, 'a link to a device that never ends': device } = THINGS;
    for (const place of [
      'CLAUDE.md',
      'CLAUDE.local.md',
      '.claude/settings.json',
      '.git/HEAD',
      '.mcp.json',
      '.gitignore',
    ]) {
      await put(stage, place, pipe as Thing);
    }
    await put(stage, '.claude/settings.local.json', device as Thing);
    await put(stage, '.claude/rules', proc as Thing);
    await put(stage, '.claude/agents/x.md', pipe as Thing);
    return stage;
  }

  it('GT-32 starts, tells each on a line, and answers; so do its other commands', async () => {
    const stage = await plantAll();
    const { code, stdout, stderr } = await runProgram(['-p', 'hi'], stage.at);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'ok\n' });
    for (const name of [
      'CLAUDE.md',
      'CLAUDE.local.md',
      'settings.json',
      'settings.local.json',
      'HEAD',
      'rules',
      'x.md',
    ]) {
      expect(
        stderr.split('\n').filter((line) => line.includes(`/${name}`)),
        name,
      ).toHaveLength(1);
    }
    for (const args of [['config'], ['agents'], ['doctor'], ['permissions', 'test', 'git status']]) {
      expect((await runProgram(args, stage.at)).signal, args.join(' ')).toBeNull();
    }
    const plain = await runProgram(['--plain'], { ...stage.at, input: 'n\nhi\n/exit\n' });
    expect(plain.stdout).toContain('ok');
  });

  it('GT-32 can be interrupted while it starts', async () => {
    const stage = await plantAll();
    const program = startProgram(['-p', 'hi'], stage.at);
    program.child.kill('SIGINT');
    const end = await program.ended;
    expect(end.signal === 'SIGINT' || end.code === 130, JSON.stringify(end)).toBe(true);
  });
});
