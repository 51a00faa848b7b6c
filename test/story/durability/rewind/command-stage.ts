/** A session whose gate allows commands that change files, and names what each changes. */

import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { openEngine } from '../../../../src/engine/open/open-engine.js';
import type { SessionOptions } from '../../../../src/engine/session-options.js';
import { createSessionOf } from '../../../../src/front/sdk/session.js';
import type { RunProfile } from '../../../../src/protocol/permission.js';
import type { Rule } from '../../../../src/sim/index.js';
import { type Stage, setStage } from '../../../support/story.js';

/** `run COMMAND` runs it; `wait COMMAND` runs it in the background. */
const RUNS: Rule[] = [
  { when: { result: { tool: 'Bash' } }, reply: 'ran' },
  { when: { result: { tool: 'Write' } }, reply: 'written' },
  {
    when: { user: { matches: '\\bwrite (?<file>\\S+) (?<words>\\S+)' } },
    reply: [{ tool: 'Write', input: { file_path: '{{file}}', content: '{{words}}\n' } }],
  },
  { when: { user: { matches: '\\brun (?<line>.+)' } }, reply: [{ tool: 'Bash', input: { command: '{{line}}' } }] },
  {
    when: { user: { matches: '\\bwait (?<line>.+)' } },
    reply: [{ tool: 'Bash', input: { command: '{{line}}', run_in_background: true } }],
  },
  { reply: 'said' },
];

export type Changing = { readonly changes: readonly string[]; readonly git?: true };

export async function setCommandStage(): Promise<Stage> {
  return setStage(RUNS);
}

/** `changing`: by the command's text, with names in the project. */
export async function openChanging(
  stage: Stage,
  changing: Readonly<Record<string, Changing>>,
  options: SessionOptions = {},
) {
  const opened = await openEngine({
    cwd: stage.folder,
    env: stage.env,
    onEvent: (event) => void stage.events.push(event),
    ...options,
  });
  if (!opened.ok) throw new Error(opened.reason);
  const { gate } = opened.engine.runtime.ports;
  Object.assign(gate, {
    decide: async (_agent: unknown, call: { readonly input: { readonly command?: string } }) => {
      const { changes = [], git } = changing[call.input.command ?? ''] ?? {};
      const real = changes.map((name) => (name.startsWith('/') ? name : join(stage.folder, name)));
      const run: RunProfile = { kind: 'proven', refresh: [], changes: real, ...(git ? { git } : {}) };
      return { decision: { behavior: 'allow', by: 'test', run }, realPaths: new Map() };
    },
  });
  const session = createSessionOf(opened.engine);
  onTestFinished(() => session.close());
  return session;
}

/** Everything in a folder: kind, mode, and content or target. Git's own files are left out. */
export function snapshot(folder: string): Readonly<Record<string, string>> {
  const all: Record<string, string> = {};
  const visit = (path: string, name: string) => {
    const stat = lstatSync(path);
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isSymbolicLink()) all[name] = `link to ${readlinkSync(path)}`;
    else if (stat.isFile()) all[name] = `${mode} ${readFileSync(path, 'latin1')}`;
    else if (stat.isDirectory()) {
      all[name] = `${mode} folder`;
      for (const below of readdirSync(path)) if (below !== '.git') visit(join(path, below), join(name, below));
    } else all[name] = 'other';
  };
  visit(folder, '.');
  return all;
}

export function git(folder: string, ...words: readonly string[]): string {
  const own = ['-c', 'user.name=x', '-c', 'user.email=x@x', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...own, ...words], { cwd: folder, encoding: 'utf8' });
}

/** Runs one command, sees that it changed something, rewinds files, and sees that all is as before. */
export async function expectAllBack(stage: Stage, command: string, changing: Changing): Promise<void> {
  const before = snapshot(stage.folder);
  const session = await openChanging(stage, { [command]: changing });
  await session.send(`run ${command}`);
  const after = snapshot(stage.folder);
  expect(after, command).not.toEqual(before);
  expect(await session.rewind({ to: 1, part: 'files' }), command).toMatchObject({ ok: true, left: [] });
  expect(snapshot(stage.folder), command).toEqual(before);
  await session.close();
}
