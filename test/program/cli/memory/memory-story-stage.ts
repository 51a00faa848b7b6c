/** What the tests of memory-story.test.ts share with those of test:long. */

import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { runProgram } from '../../../support/program.js';
import { scratchFolder } from '../../../support/scratch.js';
import { agentFile } from '../../../unit/features/memory/memory-stage.js';

export const LOCAL = '.claude/agent-memory-local/reviewer';

export const SNAPSHOT = '.claude/agent-memory-snapshots/reviewer';

export type Person = {
  readonly folder: string;
  git(...args: readonly string[]): string;
  run(...args: readonly string[]): ReturnType<typeof runProgram>;
  write(path: string, text: string): Promise<void>;
  read(path: string): Promise<string>;
};

/** People with homes and checkouts of their own, over one shared repository. The first has committed the agent. */
export async function setTeam(...names: readonly string[]): Promise<readonly Person[]> {
  const scratch = await scratchFolder();
  const shared = join(scratch, 'shared.git');
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', shared]);
  const team: Person[] = [];
  for (const name of names) {
    const [home, folder] = [join(scratch, name), join(scratch, name, 'shop')];
    await mkdir(home);
    const env = { PATH: process.env.PATH, HOME: home };
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-C', folder, '-c', `user.name=${name}`, '-c', 'user.email=a@b', ...args], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
    execFileSync('git', ['clone', '-q', shared, folder], { stdio: 'pipe' });
    const person: Person = {
      folder,
      git,
      run: (...args) => runProgram(['memory', ...args], { cwd: folder, env }),
      write: async (path, text) => {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text);
      },
      read: (path) => readFile(join(folder, path), 'utf8'),
    };
    if (team.length === 0) {
      await person.write('.claude/agents/reviewer.md', agentFile('reviewer', 'local'));
      git('add', '-A');
      git('commit', '-qm', 'an agent');
      git('push', '-q', 'origin', 'HEAD:main');
    }
    expect((await runProgram(['trust'], { cwd: folder, env })).code).toBe(0);
    team.push(person);
  }
  return team;
}

export async function snapshotLine(person: Person): Promise<string | undefined> {
  return (await person.run('list')).stdout.split('\n').find((line) => line.startsWith('    snapshot: '));
}
