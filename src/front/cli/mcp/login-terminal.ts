/** Terminal input for a sign-in: pasted lines, and a secret that is not shown. */

import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';

export interface PastedLines {
  /** Undefined: the input has ended, or the signal aborted. */
  next(signal: AbortSignal): Promise<string | undefined>;
  close(): void;
}

/** Opened on the first read. Reads keys, because a terminal cuts lines at 4,095 bytes. */
export function openPastedLines(prompt: string, interrupt: () => void): PastedLines {
  let lines: Interface | undefined;
  const waiting: string[] = [];
  let isOver = false;
  let wake: () => void = () => {};
  const open = () => {
    const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
    const made = createInterface({
      input: process.stdin,
      terminal: isTerminal,
      ...(isTerminal ? { output: process.stdout } : {}),
    });
    made.on('line', (line) => {
      waiting.push(line);
      wake();
    });
    made.on('close', () => {
      isOver = true;
      wake();
    });
    made.on('SIGINT', interrupt);
    return made;
  };
  return {
    next: async (signal) => {
      lines ??= open();
      if (process.stdin.isTTY && !isOver) {
        lines.setPrompt(prompt);
        lines.prompt();
      }
      while (waiting.length === 0 && !isOver && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
      return signal.aborted ? undefined : waiting.shift();
    },
    close: () => {
      if (lines !== undefined && process.stdin.isTTY && process.stdout.isTTY && !isOver) process.stdout.write('\n');
      lines?.close();
      process.stdin.pause();
    },
  };
}

/** Undefined if nobody can answer, or the question is interrupted. */
export async function askHidden(question: string, interrupt: () => void): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return undefined;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 });
  // Print only now that the terminal no longer echoes keys.
  process.stdout.write(question);
  try {
    return await new Promise<string | undefined>((resolve) => {
      lines.on('line', resolve);
      lines.on('close', () => resolve(undefined));
      lines.on('SIGINT', () => {
        interrupt();
        resolve(undefined);
      });
    });
  } finally {
    lines.close();
    process.stdout.write('\n');
  }
}
