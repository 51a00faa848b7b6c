/** Bad input through the real program: each a clear message and exit code, nothing lost. */

import { execFileSync } from 'node:child_process';
import { chmod, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { openSession } from '../../../src/front/sdk/open-session.js';
import type { Files } from '../../../src/host/files.js';
import type { Host } from '../../../src/host/host.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { buildProgram, runProgram, runShell } from '../../support/program.js';
import { transcriptsIn } from '../../support/session-files.js';
import { expectAllAccepted, readTranscript, setStage } from '../../support/story.js';

beforeAll(buildProgram);

it('SF-3: settings that can not be read: which file, why, exit 1', async () => {
  const stage = await setStage([{ reply: 'never' }]);
  await mkdir(join(stage.home, '.claude/settings.json'), { recursive: true });
  const end = await runProgram(['-p', 'hi'], stage.at);
  expect(end).toMatchObject({ code: 1, stdout: '' });
  expect(end.stderr).toMatch(/^error: .*\.claude\/settings\.json.*(folder|directory|EISDIR)/);
  expect(stage.sim.requests).toEqual([]);
});

it.each([
  [
    'a wrong type',
    '{\n  "model": "opus",\n  "permissions": {\n    "allow": "Bash"\n  }\n}',
    /settings\.json:4\b.*permissions\.allow/,
  ],
  ['no JSON', '{\n  "model": "opus"\n  "effort": "low"\n}', /settings\.json:3\b/],
  ['a list', '[]', /settings\.json:1\b/],
])('SF-3: a settings file with %s: file and line, exit 1', async (_name, content, message) => {
  const stage = await setStage([{ reply: 'never' }]);
  await mkdir(join(stage.home, '.claude'));
  await writeFile(join(stage.home, '.claude/settings.json'), content);
  const end = await runProgram(['-p', 'hi'], stage.at);
  expect(end).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(message) });
  expect(end.stderr).not.toMatch(/^\s+at /m);
  expect(stage.sim.requests).toEqual([]);
});

it('SF-3: --settings with a file that is not there, and with text that is no settings', async () => {
  const stage = await setStage([{ reply: 'never' }]);
  const missing = await runProgram(['-p', 'hi', '--settings', 'nowhere.json'], stage.at);
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringMatching(/nowhere\.json can't be read: ENOENT/) });
  expect(missing.stderr).not.toContain('JSON:');
  const wrong = await runProgram(['-p', 'hi', '--settings', '{"model": 7}'], stage.at);
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringMatching(/--settings:1.*model/) });
});

it('SF-3: a folder that is gone while it is the current folder: reported, exit 2', async () => {
  const stage = await setStage([{ reply: 'never' }]);
  for (const args of ['-p hi', 'doctor', 'config']) {
    const end = await runShell(`mkdir gone && cd gone && rmdir ../gone && coppice ${args}`, stage.at);
    expect(end).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('the current folder no longer exists'),
    });
  }
  expect(stage.sim.requests).toEqual([]);
});

it('SF-14: a binary file and one of 200 MB: the model gets a message, the program stays small', async () => {
  const stage = await setStage([
    {
      when: { nth: 1 },
      reply: () => [
        { tool: 'Read', input: { file_path: join(stage.folder, 'binary') } },
        { tool: 'Read', input: { file_path: join(stage.folder, 'huge.txt') } },
        { tool: 'Read', input: { file_path: join(stage.folder, 'huge.txt'), offset: 100, limit: 2 } },
      ],
    },
    { reply: 'seen' },
  ]);
  await stage.write('binary', Buffer.from(Array.from({ length: 4_000 }, (_, n) => (n * 37) % 256)));
  const huge = await open(join(stage.folder, 'huge.txt'), 'w');
  const megabyte = Buffer.from(`${'a line of some length in a large file\n'.repeat(27_594)}`.slice(0, 1024 * 1024));
  for (let n = 0; n < 200; n += 1) await huge.write(megabyte);
  await huge.close();
  const end = await runProgram(['-p', 'go'], { ...stage.at, node: ['--max-old-space-size=120'] });
  expect(end).toMatchObject({ code: 0, stdout: 'seen\n' });
  expectAllAccepted(stage.sim);
  const last = stage.sim.requests[1]?.body.messages.at(-1)?.content;
  const results = (Array.isArray(last) ? last : []).map((block) => JSON.stringify(block));
  expect(results).toHaveLength(3);
  expect(results[0]).toMatch(/binary|not text/i);
  expect(results[2]).toContain('a line of some length');
  expect(stage.sim.requests[1]?.raw.length).toBeLessThan(1_000_000);
});

it('SF-1: a prompt from a closed or empty pipe: exit 2 and how to give one', async () => {
  const stage = await setStage([{ reply: 'never' }]);
  for (const line of [
    'coppice <&-',
    'coppice -p <&-',
    "printf '' | coppice -p",
    "printf ' \\n ' | coppice",
    'coppice -p "" < /dev/null',
  ]) {
    const end = await runShell(line, stage.at);
    expect(end, line).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('no prompt') });
  }
  expect(stage.sim.requests).toEqual([]);
});

it('SF-1: a prompt as argument works with standard input closed', async () => {
  const stage = await setStage([{ reply: 'hello' }]);
  expect(await runShell('coppice -p hi <&-', stage.at)).toMatchObject({ code: 0, stdout: 'hello\n', stderr: '' });
});

it('SF-1: a reader that leaves early is no error, and the session is whole on disk', async () => {
  const stage = await setStage([{ reply: 'words '.repeat(50_000) }]);
  for (const format of ['text', 'json']) {
    const end = await runShell(`set -o pipefail; coppice -p hi --output-format ${format} | head -c 0`, stage.at);
    expect(end, format).toMatchObject({ code: 0, stderr: '' });
  }
  for (const transcript of await transcriptsIn(stage.env.COPPICE_HOME)) {
    expect((await readTranscript(transcript))[0]?.event.kind).toBe('session-started');
  }
});

it('SF-1: nobody reading stderr is no error either', async () => {
  const stage = await setStage([{ fault: { kind: 'overloaded', retryAfter: 0, times: 3 }, reply: 'at last' }]);
  expect(await runShell('coppice -p hi --verbose 2> >(true)', stage.at)).toMatchObject({
    code: 0,
    stdout: 'at last\n',
  });
  expect(await runShell('coppice -p hi 2>&-', stage.at)).toMatchObject({ code: 0, stdout: 'at last\n' });
});

it('DU-2: a full disk, with the real program: one clear line, exit 1, earlier records whole; with room again it works', async () => {
  const stage = await setStage([{ when: { nth: 1 }, reply: 'hello' }, { reply: 'hello' }]);
  const disk = join(stage.home, 'small-disk');
  await mkdir(disk);
  const env = { ...stage.env, COPPICE_HOME: join(disk, 'state') };
  if (!mountSmall(disk)) return expectFullDiskByHost();
  onTestFinished(() => void execFileSync('umount', [disk]));
  expect(await runProgram(['-p', 'hi'], { cwd: stage.folder, env })).toMatchObject({ code: 0 });
  const [first = ''] = await transcriptsIn(env.COPPICE_HOME);
  const before = await readFile(first);
  await fill(join(disk, 'filler'));
  const end = await runProgram(['-p', 'hi again'], { cwd: stage.folder, env });
  expect(end.code).toBe(1);
  expect(end.stderr).toMatch(/ENOSPC|no space left|full/i);
  expect(end.stderr).not.toMatch(/^\s+at |This is a bug in coppice/m);
  expect(end.stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
  expect(await readFile(first)).toEqual(before);
  await rm(join(disk, 'filler'));
  expect(await runProgram(['-p', 'hi again'], { cwd: stage.folder, env })).toMatchObject({
    code: 0,
    stdout: 'hello\n',
  });
});

it('DU-2: a disk that fills up in mid-session: the run ends with one line, what was there stays, and the session continues', async () => {
  await expectFullDiskByHost();
});

it('DU-7: a prefix that can not be stored: nothing is sent, one line; with room again it works', async () => {
  const stage = await setStage([{ reply: 'hello' }]);
  const host = nodeHost(stage.folder, stage.env);
  let full = true;
  const files: Files = {
    ...host.files,
    replace: async (path, content, mode) => {
      if (full) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      return host.files.replace(path, content, mode);
    },
  };
  const session = await stage.open({ host: { ...host, files, at: (folder) => ({ ...host.at(folder), files }) } });
  expect(await session.send('first')).toMatchObject({
    reason: 'not_saved',
    line: expect.stringContaining('no space left'),
  });
  expect(stage.sim.requests).toEqual([]);
  full = false;
  expect(await session.send('second')).toMatchObject({ reason: 'completed', text: 'hello' });
  expectAllAccepted(stage.sim);
});

/** The disk is full from the n-th record on, and has room again later. */
async function expectFullDiskByHost(): Promise<void> {
  const stage = await setStage([{ reply: 'hello' }]);
  for (let from = 1; from <= 10; from += 1) {
    let written = 0;
    let full = true;
    const host = withAppend(nodeHost(stage.folder, stage.env), (bytes) => {
      written += 1;
      if (full && written >= from)
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      return bytes;
    });
    const opened = await openSession({ cwd: stage.folder, host });
    if (!opened.ok) throw new Error(opened.reason);
    const { session } = opened;
    const end = await session.send('first');
    if (end.reason === 'completed') {
      expect(from).toBeGreaterThan(5);
    } else {
      expect(end).toMatchObject({ reason: 'not_saved', line: expect.stringMatching(/no space left.*free some space/) });
    }
    full = false;
    expect(await session.send('second'), `full from record ${from}`).toMatchObject({
      reason: 'completed',
      text: 'hello',
    });
    await session.close();
    const records = await readTranscript(session.transcript);
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1));
  }
  expectAllAccepted(stage.sim);
}

function withAppend(host: Host, change: (bytes: Uint8Array) => Uint8Array): Host {
  const openAppend: Files['openAppend'] = async (path) => {
    const handle = await host.files.openAppend(path);
    return { ...handle, write: async (bytes) => handle.write(change(bytes)) };
  };
  return { ...host, files: { ...host.files, openAppend }, at: (folder) => withAppend(host.at(folder), change) };
}

function mountSmall(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function fill(path: string): Promise<void> {
  const handle = await open(path, 'w');
  try {
    for (;;) await handle.write(Buffer.alloc(1024));
  } catch {
    // Full: that was the purpose.
  } finally {
    await handle.close();
  }
}

it('SF-3: a state folder that can not be written: reported, exit 1', async () => {
  const stage = await setStage([{ reply: 'never' }]);
  await writeFile(join(stage.home, 'a-file'), '');
  await chmod(join(stage.home, 'a-file'), 0o400);
  const end = await runProgram(['-p', 'hi'], {
    cwd: stage.folder,
    env: { ...stage.env, COPPICE_HOME: join(stage.home, 'a-file/state') },
  });
  expect(end).toMatchObject({ code: 1, stdout: '' });
  expect(end.stderr).toMatch(/a-file/);
  expect(end.stderr).not.toContain('This is a bug in coppice');
});

it('SF-3: a server that is not there: which address to check', async () => {
  const stage = await setStage();
  const env = { ...stage.env, ANTHROPIC_BASE_URL: 'nonsense' };
  const end = await runProgram(['-p', 'hi'], { cwd: stage.folder, env });
  expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining('ANTHROPIC_BASE_URL is not a URL: nonsense') });
});

it('SF-1: --agents that is no JSON object starts nothing', async () => {
  const stage = await setStage([{ reply: 'hello' }]);
  for (const given of ['{bad', '[]', '3']) {
    const end = await runShell(`coppice -p hi --agents '${given}'`, stage.at);
    expect(end, given).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Expected a JSON object'),
    });
  }
  expect(stage.sim.requests).toEqual([]);
});
