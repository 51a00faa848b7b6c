/** Runs a program that has the person's terminal to itself until it ends: an editor, a pager. */

import { spawn } from 'node:child_process';
import type { ProcessCommand, ProcessExit } from '../processes.js';

/** Never rejects: if it can't be started, `error` is set. It runs in our process group, so Ctrl+Z stops both. */
export function runAtTerminal({
  file,
  args,
  cwd,
  env,
}: Pick<ProcessCommand, 'file' | 'args' | 'cwd' | 'env'>): Promise<ProcessExit> {
  return new Promise((resolve) => {
    const child = spawn(file, [...args], { cwd, env, stdio: 'inherit' });
    child.once('error', (error) => resolve({ code: null, signal: null, error }));
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
}
