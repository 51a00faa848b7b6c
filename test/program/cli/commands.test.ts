/** SF-2, SF-9, SF-13: the subcommands of the real program, with good input and bad. */

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { buildProgram, runProgram, type Started, startProgram } from '../../support/program.js';
import { type Stage, setStage } from '../../support/story.js';
import { untilFound } from '../../support/until.js';
import { expectGitFinding, expectRefusedSim } from './command-checks.js';

beforeAll(buildProgram);

/** Starts `coppice sim` and gives its address. */
async function startSim(stage: Stage, args: readonly string[]): Promise<{ url: string; program: Started }> {
  const program = startProgram(['sim', ...args], stage.at);
  onTestFinished(() => void program.child.kill('SIGKILL'));
  const url = await untilFound(() => {
    if (program.child.exitCode !== null) throw new Error(program.stderr());
    return /is listening at (http:\S+)/.exec(program.stdout())?.[1];
  }, 'its address');
  return { url, program };
}

it('SF-9: coppice sim serves a built-in scenario to the program itself, and ends on Ctrl+C', async () => {
  const stage = await setStage();
  const { url, program } = await startSim(stage, ['--scenario', 'tour']);
  const env = { ...stage.env, ANTHROPIC_BASE_URL: url };
  const end = await runProgram(['-p', 'show me', '--permission-mode', 'bypassPermissions'], { cwd: stage.folder, env });
  expect(end).toMatchObject({ code: 0, stdout: expect.stringContaining('a tour of the tools') });
  program.child.kill('SIGINT');
  expect(await program.ended).toMatchObject({ code: 0, signal: null });
});

it('SF-9: coppice sim plays a scenario file, checks the key, and explains what fits no rule', async () => {
  const stage = await setStage();
  await stage.write(
    'scenario.yaml',
    'name: mine\nrules:\n  - when: { user: ping }\n    reply: pong\n  - when: { user: { matches: "call me (?<name>\\\\w+)" } }\n    reply: "hello {{name}}"\n',
  );
  const { url } = await startSim(stage, ['--scenario', 'scenario.yaml', '--key', 'secret']);
  const run = (prompt: string, key: string) =>
    runProgram(['-p', prompt], {
      cwd: stage.folder,
      env: { ...stage.env, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key },
    });
  expect(await run('ping', 'secret')).toMatchObject({ code: 0, stdout: 'pong\n' });
  expect(await run('call me Ishmael', 'secret')).toMatchObject({ code: 0, stdout: 'hello Ishmael\n' });
  expect(await run('ping', 'wrong')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('authentication failed'),
  });
  expect(await run('something else', 'secret')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('No rule of the scenario "mine" matches'),
  });
});

it('SF-12: coppice sim records a session and plays it back, keys removed; a different request fails it', async () => {
  const stage = await setStage([{ reply: 'the original answer' }]);
  const recorder = await startSim(stage, ['--record', 'traffic.jsonl', '--to', stage.env.ANTHROPIC_BASE_URL ?? '']);
  const run = (url: string, prompt: string) =>
    runProgram(['-p', prompt], { cwd: stage.folder, env: { ...stage.env, ANTHROPIC_BASE_URL: url } });
  expect(await run(recorder.url, 'same words')).toMatchObject({ code: 0, stdout: 'the original answer\n' });
  recorder.program.child.kill('SIGINT');
  await recorder.program.ended;
  expect(await stage.read('traffic.jsonl')).not.toContain('test-key');

  const replay = await startSim(stage, ['--replay', 'traffic.jsonl']);
  expect(await run(replay.url, 'same words')).toMatchObject({ code: 0, stdout: 'the original answer\n' });
  replay.program.child.kill('SIGINT');
  expect(await replay.program.ended).toMatchObject({ code: 0 });

  const other = await startSim(stage, ['--replay', 'traffic.jsonl']);
  expect(await run(other.url, 'other words')).toMatchObject({ code: 1 });
  other.program.child.kill('SIGINT');
  expect(await other.program.ended).toMatchObject({ code: 1, stderr: expect.stringContaining('other words') });
});

it.each([
  [['--scenario', 'no-such'], /no-such is not a built-in scenario.*hello/],
  [['--port', '99999'], /invalid --port/],
  [['--replay', 'empty.jsonl'], /^error: empty\.jsonl contains no requests: delete it and record again/],
])('SF-9: coppice sim %j: exit 2 and what is wrong', expectRefusedSim);

it('SF-9: coppice sim on a port that is taken: reported, exit 2; --list names the built-in scenarios', async () => {
  const stage = await setStage();
  const port = new URL(stage.sim.url).port;
  expect(await runProgram(['sim', '--port', port], stage.at)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('EADDRINUSE'),
  });
  expect(await runProgram(['sim', '--list'], stage.at)).toMatchObject({
    code: 0,
    stdout: 'hello\nread-and-edit\ntour\n',
  });
});

it('SF-2 GT-23: coppice doctor: each check ok or what to do, also as JSON', async () => {
  const stage = await setStage();
  const end = await runProgram(['doctor', '--json'], stage.at);
  expect(end).toMatchObject({ code: 0, stderr: '' });
  const findings = JSON.parse(end.stdout) as { check: string; state: string; found: string }[];
  const names = findings.map(({ check }) => check);
  for (const name of ['git', 'ripgrep', 'sandbox', 'box', 'key', 'terminal', 'state', 'settings'])
    expect(names).toContain(name);
  expect(findings.find(({ check }) => check === 'key')?.found).not.toContain('test-key');
  const plain = await runProgram(['doctor'], stage.at);
  expect(plain.stdout.trim().split('\n').length).toBeGreaterThanOrEqual(findings.length);
});

it('SF-2: coppice doctor with bad settings, a home that can not be written and no tools: problems, exit 1', async () => {
  const stage = await setStage();
  await mkdir(join(stage.home, '.claude'));
  await writeFile(join(stage.home, '.claude/settings.json'), '{"model": 1}');
  await writeFile(join(stage.home, 'a-file'), '');
  const env = { ...stage.env, PATH: '/nowhere', COPPICE_HOME: join(stage.home, 'a-file/state') };
  const end = await runProgram(['doctor', '--json'], { cwd: stage.folder, env });
  expect(end.code).toBe(1);
  const findings = JSON.parse(end.stdout) as { check: string; state: string; found: string }[];
  const problems = findings.filter(({ state }) => state === 'problem').map(({ check }) => check);
  expect(problems).toEqual(expect.arrayContaining(['git', 'state', 'settings']));
  expect(findings.find(({ check }) => check === 'settings')?.found).toMatch(/settings\.json:1/);
  expect(findings.find(({ check }) => check === 'state')?.found).toContain('COPPICE_HOME');
});

it('SF-2: coppice doctor: git 2.37.7 for worktrees is a note', async () => {
  await expectGitFinding('git version 2.37.7', 'note', /2\.38 or later.*newer git/);
});

it('GT-1: coppice config: each setting with the file it came from; a wrong one with its line, exit 1', async () => {
  const stage = await setStage();
  const own = await stage.settings({ model: 'sonnet' });
  const end = await runProgram(['config'], stage.at);
  expect(end).toMatchObject({ code: 0, stdout: expect.stringMatching(/model = .*sonnet.*settings\.json/) });
  expect(end.stdout).toContain(own);
  const json = JSON.parse((await runProgram(['config', '--json'], stage.at)).stdout) as {
    settings: { key: string }[];
  };
  expect(json.settings.map(({ key }) => key)).toContain('model');
  await writeFile(own, '{\n  "stallMs": "soon"\n}');
  expect(await runProgram(['config'], stage.at)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/settings\.json:2.*stallMs/),
  });
  expect(await runProgram(['config', '--jsno'], stage.at)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--json'),
  });
});

it('SF-13: coppice demo runs without a key, fixes the bug, shows the cache, and cleans up after itself', async () => {
  const stage = await setStage();
  const env = { ...stage.env, ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined };
  const before = await demoFolders();
  const home = await readdir(stage.home, { recursive: true });
  const end = await runProgram(['demo'], { cwd: stage.folder, env });
  expect(end, end.stdout + end.stderr).toMatchObject({ code: 0, stderr: '' });
  expect(end.stdout).toContain('Prompt cache, request by request');
  expect(end.stdout).toMatch(/read\s+written/);
  expect(await demoFolders()).toEqual(before);
  expect(await readdir(stage.home, { recursive: true })).toEqual(home);
  expect(await runProgram(['demo', '--nonsense'], { cwd: stage.folder, env })).toMatchObject({ code: 2 });
});

it('SF-13: coppice demo reports what is missing when git is not there', async () => {
  const stage = await setStage();
  const end = await runProgram(['demo'], { cwd: stage.folder, env: { ...stage.env, PATH: '/nowhere' } });
  expect(end.code).toBe(1);
  expect(end.stderr).toMatch(/git/);
});

async function demoFolders(): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith('coppice-demo-'));
}

it('SF-9: the package names what a caller needs: sim and library are separate doors', async () => {
  const { exports } = JSON.parse(await readFile(join(import.meta.dirname, '../../../package.json'), 'utf8')) as {
    exports: object;
  };
  expect(Object.keys(exports)).toEqual(expect.arrayContaining(['.', './sim']));
});
