#!/usr/bin/env node
/** The program's entry point, built as CommonJS: Node starts it sooner. Answers `--version` before loading anything else. */

import manifest from '../../../package.json' with { type: 'json' };
import { loadProgram, type Packs } from './load-program.js';
import { leaveOnLostOutput } from './lost-output.js';

/** The bundle of `run-program.ts`, as named by the build. */
declare const PACKS: Packs;

void main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<void> {
  if (['--version', '-v', '-V'].includes(args[0] ?? '')) {
    process.stdout.on('error', leaveOnLostOutput);
    process.stdout.write(`${manifest.version} (coppice)\n`);
    return;
  }
  const program = loadProgram(__dirname, PACKS);
  process.exitCode = await program.runProgram(args);
  if (process.exitCode === 0 && isSession(args)) program.keepCompiled();
}

/** A session has used the code that every session needs; a subcommand or the help text has not. */
function isSession(args: readonly string[]): boolean {
  return (args[0] ?? '-').startsWith('-') && !args.includes('--help') && !args.includes('-h');
}
