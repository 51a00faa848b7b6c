import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CommandHandler } from '../../../../src/gate/hooks/hook-config.js';
import { type CommandRunOptions, runCommandHook } from '../../../../src/gate/hooks/run-command-hook.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { isRunning, newFolder, script } from '../../../unit/gate/hooks/open-hooks.js';

const MB = 1024 * 1024;

const handler = (command: string, more: Partial<CommandHandler> = {}): CommandHandler => ({
  kind: 'command',
  event: 'PreToolUse',
  origin: 'test',
  isOwn: true,
  matcher: { kind: 'all' },
  timeoutMs: 20_000,
  command,
  ...more,
});

const run = (
  command: string,
  more: Partial<CommandRunOptions> = {},
  settings: Partial<CommandHandler> = {},
  input = '{}',
) => {
  const folder = more.projectDir ?? newFolder();
  const place = { host: nodeHost(folder), projectDir: folder, folder, shell: '/bin/sh', ...more };
  return runCommandHook(handler(command, settings), input, place);
};

const pids = (file: string) => readFileSync(file, 'utf8').trim().split('\n').map(Number);

async function waitFor(file: string): Promise<void> {
  while (!existsSync(file) || readFileSync(file, 'utf8') === '')
    await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('running a command', () => {
  it('GT-16: the input comes in on stdin, the output and exit code come back', async () => {
    expect(await run('cat; echo err >&2; exit 3', {}, {}, '{"a":"ü"}')).toEqual({
      kind: 'exited',
      code: 3,
      stdout: '{"a":"ü"}',
      stderr: 'err\n',
      stdoutCut: false,
    });
  });

  it('GT-18: it runs in the project folder with CLAUDE_PROJECT_DIR and the whole environment', async () => {
    const folder = newFolder();
    const host = nodeHost(folder, { ...process.env, MY_TOKEN: 'kept', CLAUDE_PROJECT_DIR: '/elsewhere' });
    const line = 'echo "$PWD $CLAUDE_PROJECT_DIR $COPPICE_PROJECT_DIR $MY_TOKEN"';
    const outcome = await run(line, { host, projectDir: folder });
    expect(outcome).toMatchObject({ stdout: `${folder} ${folder} ${folder} kept\n` });
  });

  it('GT-18: with args the program is started without a shell', async () => {
    expect(await run('printf', {}, { args: ['%s', '$HOME; x'] })).toMatchObject({ stdout: '$HOME; x' });
  });

  it.each([
    ['closes its input', script('no-stdin.sh')],
    ['ends at once', 'exit 0'],
    ['never reads and takes its time', 'sleep 0.3'],
  ])('GT-16: a hook that %s is no failure, with 1 MB of input', async (_, line) => {
    expect(await run(line, {}, {}, 'x'.repeat(MB))).toMatchObject({ kind: 'exited', code: 0 });
  });

  it('GT-16: 1 MB of input that is read arrives whole', async () => {
    expect(await run('wc -c', {}, {}, 'x'.repeat(MB))).toMatchObject({ stdout: expect.stringContaining(String(MB)) });
  });

  it('GT-16: exactly 1 MB of output is read; of more, the rest is dropped and that is known', async () => {
    const whole = await run(`${script('much-output.py')} text ${MB}`);
    expect(whole).toMatchObject({ kind: 'exited', stdoutCut: false });
    expect(whole.kind === 'exited' && whole.stdout.length).toBe(MB);
    const cut = await run(`${script('much-output.py')} text ${5 * MB}`);
    expect(cut).toMatchObject({ kind: 'exited', stdoutCut: true });
    expect(cut.kind === 'exited' && cut.stdout.length).toBe(MB);
  });

  it('GT-16: bytes that are no UTF-8 become replacement characters; a byte order mark goes', async () => {
    expect(await run(script('invalid-utf8.sh'))).toMatchObject({ code: 2, stderr: 'bad \ufffd\ufffd bytes' });
    expect(await run("printf '\\357\\273\\277{}'")).toMatchObject({ stdout: '{}' });
  });

  it('GT-17: what a hook leaves behind is ended, and its own output is whole', async () => {
    const file = join(newFolder(), 'pids');
    expect(await run(`${script('leave-children.sh')} '${file}'`)).toMatchObject({
      code: 0,
      stdout: '{"systemMessage": "started"}\n',
    });
    expect(pids(file)).toHaveLength(2);
    for (const pid of pids(file)) expect(isRunning(pid)).toBe(false);
  });

  it('GT-17: a process that left the group and holds the output open does not hold us up', async () => {
    const file = join(newFolder(), 'pids');
    const outcome = await run(`${script('leave-the-group.sh')} '${file}'`);
    for (const pid of pids(file)) process.kill(pid, 'SIGKILL');
    expect(outcome).toMatchObject({ code: 0, stdout: '{"systemMessage": "started"}\n' });
  });

  it('GT-17: one that takes too long is ended with its whole group, even if it minds no SIGTERM', async () => {
    const file = join(newFolder(), 'pid');
    expect(await run(`${script('ignore-term.sh')} '${file}'`, {}, { timeoutMs: 1_000 })).toEqual({
      kind: 'timed out',
      seconds: 1,
    });
    for (const pid of pids(file)) expect(isRunning(pid)).toBe(false);
  });

  it('GT-17: an abort ends it', async () => {
    const file = join(newFolder(), 'pid');
    const stop = new AbortController();
    const running = run(`echo $$ > '${file}'; sleep 300 & wait`, { signal: stop.signal });
    await waitFor(file);
    stop.abort();
    expect(await running).toEqual({ kind: 'aborted' });
    for (const pid of pids(file)) expect(isRunning(pid)).toBe(false);
  });

  it('GT-17: after an abort nothing is started', async () => {
    const file = join(newFolder(), 'started');
    expect(await run(`touch '${file}'`, { signal: AbortSignal.abort() })).toEqual({ kind: 'aborted' });
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    ['itself', script('kill-itself.sh')],
    ['a child of its shell', `${script('kill-itself.sh')}; exit $?`],
  ])('GT-17: killed by a signal is known: %s', async (_, line) => {
    expect(await run(line)).toMatchObject({ kind: 'killed' });
  });

  it('GT-17: what cannot be started says why', async () => {
    const projectDir = join(newFolder(), 'gone');
    expect(await run('exit 0', { projectDir })).toMatchObject({
      kind: 'not started',
      reason: expect.stringContaining(projectDir),
    });
    expect(await run('exit 0', { shell: '/no/such/shell' })).toMatchObject({ kind: 'not started' });
    expect(await run('echo \0')).toMatchObject({ kind: 'not started' });
  });
});
