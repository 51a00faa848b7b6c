/** Ending, crashes, and runs beside each other: no process and no stub stays, and none is taken away too early. */

import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../../../src/gate/sandbox/create-sandbox.js';
import { clearLeftovers } from '../../../../src/gate/sandbox/guards/sandbox-state.js';
import { waitUntilGone } from '../../../../src/gate/sandbox/guards/wait-until-gone.js';
import type { Confined } from '../../../../src/gate/sandbox/sandbox.js';
import type { RunningProcess } from '../../../../src/host/processes.js';
import { expectRefusal, makeRepository, SANDBOX_WORKS, type Stage, setStage } from './stage.js';

type Begun = { readonly process: RunningProcess; readonly confined: Confined & { ok: true } };

/** Starts a command and waits until it has made the file `started` in the project. */
async function begin({ sandbox, host, project }: Stage, script: string, started = 'started'): Promise<Begun> {
  const command = { file: 'bash', args: ['-c', script], cwd: project, env: host.env };
  const confined = await sandbox.confine(command, { kind: 'sandboxed', grant: {} }, { roots: [project] });
  if (!confined.ok) throw new Error(confined.reason);
  const process = host.processes.start(confined.command);
  await until(() => existsSync(join(project, started)));
  return { process, confined };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5);
}

const countOf = async (stage: Stage, words: string) => {
  const { stdout } = await stage.host.processes.run({
    file: 'pgrep',
    args: ['-fc', words],
    cwd: '/',
    env: stage.host.env,
  });
  return Number(stdout.toString('utf8'));
};

describe.runIf(SANDBOX_WORKS)('with a sandbox', () => {
  it('GT-19: what a command leaves running ends with it, even in a session of its own', async () => {
    const stage = await setStage();
    const ran = await stage.run('setsid sleep 987.1 >/dev/null 2>&1 & nohup sleep 987.1 >/dev/null 2>&1 & echo left');
    expect(ran.output).toBe('left\n');
    expect(await countOf(stage, '^sleep 987.1')).toBe(0);
  });

  it('GT-19: ending the group ends everything in it, and finishing waits for that', async () => {
    const stage = await setStage();
    const script = `trap '' TERM; setsid bash -c 'trap "" TERM; while :; do echo x > .bashrc; sleep 0.01; done' & until [ -e .bashrc ]; do sleep 0.01; done; touch started; sleep 987.2`;
    const { process, confined } = await begin(stage, script);
    expect(existsSync(join(stage.project, '.vscode'))).toBe(true);
    await process.end();
    const notes = await confined.finish(await process.exit);
    expect(await countOf(stage, '^sleep 987.2')).toBe(0);
    expect(notes.join()).toContain('.bashrc');
    expect(existsSync(join(stage.project, '.bashrc'))).toBe(false);
    expect(readdirSync(stage.project).filter((name) => !name.includes('set-aside'))).toEqual(['started']);
  });

  it('GT-19: a stub stays while any command stands on it, of this process or of another', async () => {
    const stage = await setStage();
    const other = createSandbox({ host: stage.host, roots: [stage.project] });
    const long = await begin(
      stage,
      'touch started; until [ -e go ]; do sleep 0.01; done; mkdir -p .git/hooks; echo x > .mcp.json',
    );
    for (const sandbox of [stage.sandbox, other]) {
      const command = {
        file: 'bash',
        args: ['-c', 'echo evil > .git/config'],
        cwd: stage.project,
        env: stage.host.env,
      };
      const short = await sandbox.confine(command, { kind: 'sandboxed', grant: {} }, { roots: [stage.project] });
      if (!short.ok) throw new Error(short.reason);
      const ended = await stage.host.processes.run(short.command);
      expect(ended.code).not.toBe(0);
      expect(await short.finish(ended)).toEqual([]);
      expect(existsSync(join(stage.project, '.git'))).toBe(true);
    }
    await writeFile(join(stage.project, 'go'), '');
    expect(await long.confined.finish(await long.process.exit)).toEqual([]);
    expect(readdirSync(stage.project).sort()).toEqual(['go', 'started']);
    await other.close();
  });

  it('GT-19: a stub outlives the command that made it while a later one stands on it', async () => {
    const stage = await setStage();
    const wait = (n: number) => `touch started-${n}; until [ -e go-${n} ]; do sleep 0.01; done`;
    const first = await begin(stage, wait(1), 'started-1');
    const attack = 'mkdir -p .git/hooks && echo MADE; echo x > .mcp.json && echo MADE';
    const second = await begin(stage, `${wait(2)}; ${attack}`, 'started-2');
    const output: Buffer[] = [];
    second.process.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    await writeFile(join(stage.project, 'go-1'), '');
    await first.confined.finish(await first.process.exit);
    await writeFile(join(stage.project, 'go-2'), '');
    expect(await second.confined.finish(await second.process.exit)).toEqual([]);
    expect(Buffer.concat(output).toString()).toBe('');
    expect(readdirSync(stage.project).sort()).toEqual(['go-1', 'go-2', 'started-1', 'started-2']);
  });

  it('GT-19: a run counts as gone when its last process is', async () => {
    const stage = await setStage();
    const { process, confined } = await begin(stage, 'touch started; sleep 987.5');
    const mark = confined.command.args.find((argument) => argument.startsWith('/run/coppice-run-'));
    let gone = false;
    const waiting = waitUntilGone(stage.host, mark ?? '').then((answer) => {
      gone = answer;
    });
    await sleep(50);
    expect(gone).toBe(false);
    await process.end();
    await waiting;
    expect(gone).toBe(true);
    await confined.finish(await process.exit);
  });

  it('GT-19: many commands at once in one folder leave nothing', async () => {
    const stage = await setStage();
    await makeRepository(stage.host, stage.project);
    const runs = Array.from({ length: 12 }, (_, n) =>
      stage.run(`echo ${n} > out-${n}; echo x > .mcp.json; echo x > .git/hooks/h`),
    );
    for (const { notes } of await Promise.all(runs)) expect(notes).toEqual([]);
    const names = readdirSync(stage.project).filter((name) => !name.startsWith('out-'));
    expect(names.sort()).toEqual(['.git', 'file']);
    expect(existsSync(join(stage.project, '.git/hooks/h'))).toBe(false);
  });

  it('GT-19: after kill -9 of our process no command runs on, and the next start removes its stubs', async () => {
    const stage = await setStage();
    const victim = join(stage.base, 'victim.mjs');
    await build({
      entryPoints: [fileURLToPath(new URL('./victim.ts', import.meta.url))],
      outfile: victim,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
    });
    await mkdir(join(stage.project, '.husky'));
    const child = spawn(process.execPath, [victim, stage.project], {
      env: stage.host.env as NodeJS.ProcessEnv,
      stdio: 'ignore',
    });
    await until(() => existsSync(join(stage.project, 'started')));
    expect(existsSync(join(stage.project, '.vscode'))).toBe(true);
    const died = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await died;
    // The kernel ends the rest by itself.
    while ((await countOf(stage, '^sleep 987.3')) > 0) await sleep(5);
    expect(existsSync(join(stage.project, '.git'))).toBe(true);

    const notes = await clearLeftovers(stage.host, stage.home);
    expect(readdirSync(stage.project).sort()).toEqual(['.bashrc', '.husky', 'started']);
    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain(`${stage.project}/.bashrc appeared`);
    expect(readdirSync(join(stage.home, 'sandbox'))).toEqual([]);
  });

  it('GT-19: a start beside a living process takes nothing away from it', async () => {
    const stage = await setStage();
    const long = await begin(stage, 'touch started; sleep 987.4');
    expect(await clearLeftovers(stage.host, stage.home)).toEqual([]);
    expect(existsSync(join(stage.project, '.git'))).toBe(true);
    await long.process.end();
    await long.confined.finish(await long.process.exit);
    expect(readdirSync(stage.project)).toEqual(['started']);
  });
});
it.skipIf(SANDBOX_WORKS)('GT-19: where there is no sandbox, required refuses', expectRefusal);
