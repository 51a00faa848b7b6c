/** What a sign-in needs of the terminal: lines that are pasted, and a secret that is not shown. */

import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';

export interface PastedLines {
  /** Undefined: no more will come, or the signal aborted. */
  next(signal: AbortSignal): Promise<string | undefined>;
  close(): void;
}

/** Read only once one is asked for. A terminal hands over whole lines of at most 4,095 bytes, so that keys are read instead. */
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

/** Undefined where nobody can be asked, or when the question is interrupted. */
export async function askHidden(question: string, interrupt: () => void): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return undefined;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 });
  // Only now that the terminal shows no keys by itself.
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
