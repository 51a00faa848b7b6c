/** Reads the prompt: the argument, the piped text, or both (piped text first). */

import { fstatSync } from 'node:fs';
import { realClock } from '../../host/clock.js';

export type Prompt =
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'none'; readonly reason: string };

const FIRST_BYTE_MS = 3_000;
const MAX_BYTES = 64 * 1024 * 1024;

export async function readPrompt(argument: string | undefined): Promise<Prompt> {
  const given = argument?.trim() ? argument : undefined;
  const piped = await readPiped(given !== undefined);
  if (piped.kind === 'failed') {
    return given === undefined ? { kind: 'none', reason: ` (${piped.reason})` } : { kind: 'prompt', text: given };
  }
  const parts = [piped.text, given ?? ''].filter((part) => part.trim() !== '');
  return parts.length > 0 ? { kind: 'prompt', text: parts.join('\n\n') } : { kind: 'none', reason: '' };
}

type Piped = { readonly kind: 'read'; readonly text: string } | { readonly kind: 'failed'; readonly reason: string };

async function readPiped(hasArgument: boolean): Promise<Piped> {
  try {
    // Avoid `process.stdin`, which loads Node's file streams: a terminal, like /dev/null, is none of these.
    const stat = fstatSync(0);
    if (!stat.isFIFO() && !stat.isFile() && !stat.isSocket()) return { kind: 'read', text: '' };
  } catch {
    return { kind: 'failed', reason: 'standard input is closed' };
  }
  const stdin = process.stdin;
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve) => {
    const end = (result: Piped) => {
      cancelWait?.();
      stdin.destroy();
      resolve(result);
    };
    // With a prompt given, a pipe that nobody writes to must not block the run.
    const cancelWait = hasArgument
      ? realClock.after(FIRST_BYTE_MS, () => {
          process.stderr.write('note: no data on standard input for 3 s; continuing without it\n');
          end({ kind: 'read', text: '' });
        })
      : undefined;
    stdin.on('data', (chunk: Buffer) => {
      cancelWait?.();
      bytes += chunk.length;
      if (bytes > MAX_BYTES) return end({ kind: 'failed', reason: 'standard input is larger than 64 MiB' });
      chunks.push(chunk);
    });
    stdin.on('end', () => end({ kind: 'read', text: Buffer.concat(chunks).toString('utf8') }));
    stdin.on('error', (error) => end({ kind: 'failed', reason: `standard input can't be read: ${error.message}` }));
  });
}
