/** The stage of the rows that once got through: the real program, headless, with marks, canaries and listeners around it. */

import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { runProgram } from '../../../support/program.js';
import { type Stage, setStage } from '../../../support/story.js';
import { mainResults, type Result, script } from '../../agents/agents-script.js';

export const CANARY = 'zq-canary-content';

export const bash = (command: string, more: object = {}) => ({ tool: 'Bash', input: { command, ...more } });
export const write = (path: string, content = 'pwned\n') => ({ tool: 'Write', input: { file_path: path, content } });

type Call = { readonly tool: string; readonly input: object };

export type Table = Stage & {
  /** A folder that is not part of the session, with a canary in `secret.txt`. */
  readonly outside: string;
  /** Where planted programs leave their marks. */
  readonly marks: string;
  /** A shell command that leaves a mark. */
  mark(name: string): string;
  marked(): Promise<readonly string[]>;
  /** A program in the project that leaves a mark. Returns its path. */
  plantProgram(name: string, mark: string): Promise<string>;
  git(folder: string, ...args: string[]): void;
  /** The calls one after the other, by the real program without anybody to ask. */
  run(
    calls: readonly Call[],
    ...args: string[]
  ): Promise<{ readonly results: readonly Result[]; readonly stderr: string }>;
};

export async function setTable(): Promise<Table> {
  const stage = await setStage();
  const outside = join(dirname(stage.folder), 'outside');
  const marks = join(outside, 'marks');
  await mkdir(marks, { recursive: true });
  await writeFile(join(outside, 'secret.txt'), `${CANARY}\n`);
  const mark = (name: string) => `touch ${join(marks, name)}`;
  return {
    ...stage,
    outside,
    marks,
    mark,
    marked: () => readdir(marks),
    plantProgram: async (name, by) => {
      const path = await stage.write(name, `#!/bin/sh\n${mark(by)}\n`);
      await chmod(path, 0o755);
      return path;
    },
    git: (folder, ...args) => {
      const who = [
        '-c',
        'user.name=a',
        '-c',
        'user.email=a@b.c',
        '-c',
        'core.fsmonitor=false',
        '-c',
        'core.hooksPath=/dev/null',
      ];
      execFileSync('git', [...who, ...args], { cwd: folder, env: { ...process.env, HOME: outside }, stdio: 'pipe' });
    },
    run: async (calls, ...args) => {
      stage.sim.use(script({ main: [...calls.map((call) => [call]), 'done'] }));
      const flags = ['-p', 'MAIN look around', '--output-format', 'json', ...args];
      const env = { ...stage.env, COPPICE_ALLOW_ROOT_BYPASS: undefined };
      const end = await runProgram(flags, { cwd: stage.folder, env });
      const results = calls.map((_, index) => mainResults(stage, index + 2)[0] ?? { text: '', isError: true });
      return { results, stderr: end.stderr };
    },
  };
}

/** Listens on a free port and counts who connects. */
export async function listen(): Promise<{ readonly port: number; readonly connections: () => number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    connections: () => connections,
  };
}

/** The numbers of the results that hold what they must not. The texts stay out of the message: some show the machine. */
export function leaking(results: readonly Result[], what: string | RegExp = CANARY): readonly number[] {
  const pattern = typeof what === 'string' ? new RegExp(what) : what;
  return results.flatMap(({ text }, index) => (pattern.test(text) ? [index] : []));
}
