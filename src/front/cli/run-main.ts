/** The main command: which kind of session the flags and the streams ask for. */

import { EXIT } from './exit-code.js';
import type { Flags } from './flags.js';
import { readPrompt } from './read-prompt.js';

export async function runMain(argument: string | undefined, flags: Flags): Promise<number> {
  if (flags.plain) return notBuilt('--plain');
  const headless = flags.print === true || !process.stdin.isTTY || flags.outputFormat !== 'text';
  if (!headless) return notBuilt('the interactive session');
  if (flags.inputFormat === 'stream-json') return notBuilt('--input-format stream-json');
  const prompt = await readPrompt(argument);
  if (prompt.kind === 'none') {
    process.stderr.write(`error: there is no prompt${prompt.why}. Give one: coppice -p "what to do"\n`);
    return EXIT.usage;
  }
  const { runPrint } = await import('./run-print.js');
  return runPrint(prompt.text, flags);
}

function notBuilt(what: string): number {
  process.stderr.write(`error: ${what} is not yet there in this version. Use: coppice -p "what to do"\n`);
  return EXIT.usage;
}
