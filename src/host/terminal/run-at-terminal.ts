/** Runs a program that uses the user's terminal until it ends: an editor, a pager. */

import { spawn } from 'node:child_process';
import type { ProcessCommand, ProcessExit } from '../processes.js';

export type TerminalCommand = Pick<ProcessCommand, 'file' | 'args' | 'cwd' | 'env'> & {
  /** Receives a function that ends the program, once it runs. */
  readonly onStart?: (end: (signal: NodeJS.Signals) => void, pid: number | undefined) => void;
  /** Receives messages from a program of ours (`process.send`). */
  readonly onMessage?: (message: unknown) => void;
};

/** Never rejects: if it can't be started, `error` is set. It runs in our process group, so Ctrl+Z stops both. */
export function runAtTerminal({ file, args, cwd, env, onStart, onMessage }: TerminalCommand): Promise<ProcessExit> {
  return new Promise((resolve) => {
    const stdio = ['inherit', 'inherit', 'inherit', ...(onMessage === undefined ? [] : ['ipc' as const])] as const;
    const child = spawn(file, [...args], { cwd, env, stdio: [...stdio] });
    child.once('error', (error) => resolve({ code: null, signal: null, error }));
    child.once('close', (code, signal) => resolve({ code, signal }));
    if (onMessage !== undefined) child.on('message', onMessage);
    onStart?.((signal) => child.kill(signal), child.pid);
  });
}
