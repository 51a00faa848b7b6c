/** `coppice permissions test` through the real program. */

import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, runProgram } from '../../support/program.js';
import { type Stage, setStage } from '../../support/story.js';

beforeAll(buildProgram);

const ask = (stage: Stage, args: readonly string[], input?: string) =>
  runProgram(['permissions', 'test', ...args], {
    cwd: stage.folder,
    env: stage.env,
    ...(input === undefined ? {} : { input }),
  });

type Row = {
  readonly decision?: string;
  readonly by?: string;
  readonly reason?: string;
  readonly error?: string;
  readonly line?: number;
};
const rows = (stdout: string) =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);

describe('coppice permissions test', () => {
  it('GT-21: a command as an argument: the decision, the rule that decided, and why; nothing runs', async () => {
    const stage = await setStage();
    const allowed = await ask(stage, ['ls -la']);
    expect(allowed).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^allow Bash .*ls -la.*\n\s+by it only reads, confined/),
    });
    const asked = await ask(stage, ['touch made']);
    expect(asked.stdout).toMatch(/^ask {3}Bash .*\n\s+by check command: it changes .*made/);
    const denied = await ask(stage, ['--deny', 'Bash(touch:*)', '--allow', 'Bash', 'env touch made']);
    expect(denied.stdout).toMatch(
      /^deny {2}Bash .*\n\s+by deny rule Bash\(touch:\*\) \(command line\): .*denied by the rule/,
    );
    expect(await readdir(stage.folder)).toEqual([]);
  });

  it('GT-21: calls on standard input, one JSON a line, each with its answer; --json for programs', async () => {
    const stage = await setStage();
    const other = join(stage.home, 'other');
    await mkdir(other);
    const calls = [
      { tool: 'Bash', input: { command: 'git push' } },
      { tool: 'Write', input: { file_path: join(stage.folder, 'a'), content: '' } },
      { tool: 'Read', input: { file_path: '/etc/passwd' } },
      { tool: 'Read', input: { file_path: join(other, 'x') }, cwd: other },
      { tool: 'mcp__db__query', input: {} },
      { tool: 'Agent', input: { prompt: 'x', subagent_type: 'reviewer' } },
      { tool: 'WebFetch', input: { url: 'https://example.com/a', prompt: 'x' } },
      { tool: 'SomethingElse', input: {} },
    ];
    const flags = [
      '--json',
      '--mode',
      'acceptEdits',
      '--allow',
      'mcp__db',
      '--deny',
      'Agent(reviewer)',
      '--ask',
      'WebFetch(domain:example.com)',
    ];
    const end = await ask(stage, flags, calls.map((call) => JSON.stringify(call)).join('\n'));
    expect(end).toMatchObject({ code: 0, stderr: '' });
    const answers = rows(end.stdout);
    expect(answers.map(({ decision }) => decision)).toEqual([
      'ask',
      'allow',
      'ask',
      'allow',
      'allow',
      'deny',
      'ask',
      'ask',
    ]);
    expect(answers.every(({ by, reason }) => by !== '' && reason !== undefined)).toBe(true);
    expect(answers[5]?.by).toContain('deny rule Agent(reviewer)');
  });

  it('GT-21 EX-11 EX-24: skills and searches are judged as in a session', async () => {
    const stage = await setStage();
    const calls = [
      { tool: 'Skill', input: { skill: 'deploy' } },
      { tool: 'Skill', input: { skill: '/release' } },
      { tool: 'WebSearch', input: { query: 'node' } },
    ];
    const input = calls.map((call) => JSON.stringify(call)).join('\n');
    const { stdout } = await ask(stage, ['--json', '--deny', 'Skill(release)'], input);
    expect(rows(stdout)).toMatchObject([
      { decision: 'allow' },
      { decision: 'deny', by: 'deny rule Skill(release) (command line)' },
      { decision: 'ask', reason: 'it searches the web, and no rule allows that' },
    ]);
    const allowed = await ask(stage, ['--json', '--allow', 'WebSearch'], input);
    expect(rows(allowed.stdout)[2]).toMatchObject({ decision: 'allow' });
  });

  it('GT-21: the user’s settings apply, with the file they came from; the project’s allow only when trusted', async () => {
    const stage = await setStage();
    const own = await stage.settings({ permissions: { deny: ['Bash(npm publish:*)'] } });
    await stage.write('.claude/settings.json', JSON.stringify({ permissions: { allow: ['Bash(make:*)'] } }));
    expect((await ask(stage, ['npm publish'])).stdout).toContain(own);
    expect((await ask(stage, ['make all'])).stdout).toMatch(/^ask/);
    expect((await ask(stage, ['--trust', 'make all'])).stdout).toMatch(/^allow[\s\S]*settings\.json/);
  });

  it('GT-5: each mode', async () => {
    const stage = await setStage();
    const answers = await Promise.all(
      ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions', 'bubble'].map(
        async (mode) => rows((await ask(stage, ['--json', '--mode', mode, 'mkdir made'])).stdout)[0]?.decision,
      ),
    );
    expect(answers).toEqual(['ask', 'allow', 'deny', 'deny', 'allow', 'ask']);
  });

  it('GT-21: bad lines are named by number, the good ones are answered all the same, and the exit code reports it', async () => {
    const stage = await setStage();
    const lines = [
      '{"tool": "Bash", "input": {"command": "ls"}}',
      'not json',
      '[]',
      '{"tool": 7}',
      '{"tool": "Bash", "input": {"cmd": 1}}',
    ];
    const end = await ask(stage, ['--json'], lines.join('\n'));
    expect(end.code).toBe(1);
    const answers = rows(end.stdout);
    expect(answers[0]?.decision).toBe('allow');
    expect(answers.slice(1).map(({ line }) => line)).toEqual([2, 3, 4, 5]);
    expect(answers[4]?.error).toContain('command');
  });

  it('GT-21: bad usage reports what to do, on stderr, with exit 2', async () => {
    const stage = await setStage();
    expect(await ask(stage, ['--mode', 'yolo', 'ls'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('acceptEdits'),
    });
    expect(await ask(stage, [])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('{"tool": "Bash"'),
    });
    expect(await ask(stage, ['--jsno', 'ls'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--json') });
    const odd = await ask(stage, ['--allow', 'Bash(ls * -l)', '--deny', 'Nonsense(', 'ls']);
    expect(odd.stderr).toMatch(/warning: .*Bash\(ls \* -l\)/);
    await writeFile(await stage.settings({}), '{"permissions": {"deny": "Bash"}}');
    expect(await ask(stage, ['ls'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/settings\.json:1.*permissions\.deny/),
    });
  });

  it('GT-21: --expect sets the exit code: 0 if every call gets that decision, 1 if one does not, 2 for a wrong word', async () => {
    const stage = await setStage();
    const code = async (...args: readonly string[]) => (await ask(stage, ['--expect', ...args])).code;
    const deny = ['--deny', 'Bash(touch:*)', 'touch x'];
    expect([await code('allow', 'ls'), await code('ask', 'npm test'), await code('deny', ...deny)]).toEqual([0, 0, 0]);
    expect([await code('allow', 'npm test'), await code('ask', ...deny)]).toEqual([1, 1]);
    const calls = (...commands: readonly string[]) =>
      commands.map((command) => JSON.stringify({ tool: 'Bash', input: { command } })).join('\n');
    // One of several is enough, wherever it is, and the others are answered all the same.
    const mixed = await ask(stage, ['--expect', 'allow', '--json'], calls('npm test', 'ls'));
    expect(mixed.code).toBe(1);
    expect(rows(mixed.stdout).map(({ decision }) => decision)).toEqual(['ask', 'allow']);
    expect(await ask(stage, ['--expect', 'maybe', 'ls'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--expect maybe is not one of allow, ask, deny'),
    });
  });

  it('GT-20: what it shows can’t act on a terminal', async () => {
    const stage = await setStage();
    const end = await ask(stage, ['touch a\u001b[2K\u202eb']);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is the point.
    expect(end.stdout).not.toMatch(/[\u001b\u202e]/);
  });

  it('GT-4: a long command is no way past a rule, and no way to stall', async () => {
    const stage = await setStage();
    await stage.write('.env', 'x');
    const padding = 'a'.repeat(100_000);
    const input = [
      `cat .env # ${padding}`,
      `true ${'b '.repeat(40_000)}; curl x`,
      `cat ${Array.from({ length: 9_000 }, (_, n) => `f${n}`).join(' ')} .env`,
    ]
      .map((command) => JSON.stringify({ tool: 'Bash', input: { command } }))
      .join('\n');
    const flags = ['--json', '--mode', 'bypassPermissions', '--deny', 'Read(.env)', '--deny', 'Bash(curl:*)'];
    const end = await ask(stage, flags, input);
    expect(rows(end.stdout).map(({ decision }) => decision)).toEqual(['deny', 'deny', 'deny']);
  });
});
