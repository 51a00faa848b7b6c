/** The common part of demo.test.ts here and in test/long. */

import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { expect } from 'vitest';
import { runningWith } from '../../support/processes.js';
import { scratchFolder } from '../../support/scratch.js';
import { openTerminal, PROGRAM, type TestTerminal } from './terminal-stage.js';

/** A temporary folder of its own: what remains in it is the demo's, as is every process with its title. */
export async function openDemo(...flags: string[]) {
  const folder = await scratchFolder();
  const title = basename(folder);
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, TERM: 'xterm-256color', LANG: 'C.UTF-8' };
  // Node's own arguments are passed to the processes that the demo starts.
  const args = [process.execPath, `--title=${title}`, PROGRAM, 'demo', ...flags];
  const at = openTerminal(folder, args, env, { file: '/usr/bin/env', columns: 110, rows: 36 });
  const left = async () => ({ files: await readdir(folder), processes: runningWith(title) });
  return { at, left };
}

export const NOTHING = { files: [], processes: [] };

export function expectSummary({ lines }: TestTerminal) {
  const text = lines().join('\n');
  for (const line of [
    /^Agents\n {2}main +6 requests\n {2}├─ audit +2 requests, completed \(background\)$/m,
    /├─ note +2 requests, completed \(killed, resumed\)/,
    /byte for byte: \$0\.0\d+ instead of \$0\.\d+, [78]\d% less/,
    /^ {2}apply it +coppice worktree apply agent-\w{8}$/m,
  ])
    expect(text).toMatch(line);
}
