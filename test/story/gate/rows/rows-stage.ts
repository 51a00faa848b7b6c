/** Command lines one after the other in a real session, with nobody to ask unless a test answers. */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionOptions } from '../../../../src/engine/session-options.js';
import { expectAllAccepted, type Stage } from '../../../support/story.js';
import { begin, mainResults, type Result, script } from '../../agents/agents-script.js';

export const CANARY = 'zq-canary-content';

export async function runLines(
  stage: Stage,
  lines: readonly string[],
  options: SessionOptions = {},
): Promise<readonly Result[]> {
  const earlier = stage.sim.requests.length;
  stage.sim.use(script({ main: [...lines.map((command) => [{ tool: 'Bash', input: { command } }]), 'done'] }));
  const session = await stage.open({ maxTurns: lines.length + 5, ...options });
  await session.send(begin());
  await session.settled();
  await session.close();
  expectAllAccepted(stage.sim);
  // The results of this session only, also if there were others on the same stage.
  const own = { ...stage, sim: { ...stage.sim, requests: stage.sim.requests.slice(earlier) } };
  return lines.map((_, index) => mainResults(own, index + 2)[0] ?? { text: '', isError: true });
}

/** Git as the person has it, with the home of the stage. */
export function git(stage: Stage, ...args: readonly string[]): string {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-c', 'init.defaultBranch=main'];
  const env = { ...process.env, HOME: stage.home, GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', [...who, ...args], { cwd: stage.folder, env, encoding: 'utf8', stdio: 'pipe' });
}

/** A repository with one commit, and a person who has a name there. */
export async function makeRepository(stage: Stage, files: Readonly<Record<string, string>> = {}): Promise<void> {
  git(stage, 'init', '-q');
  for (const [name, content] of Object.entries({ 'a.txt': 'a\n', ...files })) await stage.write(name, content);
  git(stage, 'config', 'user.name', 'a');
  git(stage, 'config', 'user.email', 'a@b.c');
  git(stage, 'add', '.');
  git(stage, 'commit', '-qm', 'first');
}

/** What must not change, by name; absent files are absent afterwards. */
export function contentsOf(folder: string, names: readonly string[]): Readonly<Record<string, string | undefined>> {
  const read = (name: string) => {
    const path = join(folder, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
  return Object.fromEntries(names.map((name) => [name, read(name)]));
}
