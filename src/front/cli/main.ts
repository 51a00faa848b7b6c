#!/usr/bin/env node
/** The program's entry point. Answers `--version` before loading anything else. */

import manifest from '../../../package.json' with { type: 'json' };
import { loadProgram, type Packs } from './load-program.js';

/** The bundle of `run-program.ts`, as named by the build. */
declare const PACKS: Packs;

const [first] = process.argv.slice(2);
if (first === '--version' || first === '-v' || first === '-V') {
  process.stdout.write(`${manifest.version} (coppice)\n`);
} else {
  const program = loadProgram(new URL('.', import.meta.url), PACKS);
  process.exitCode = await program.runProgram(process.argv.slice(2));
  // A headless run has used the code that every session needs.
  if (process.exitCode === 0 && (first === '-p' || first === '--print')) program.keepCompiled();
}
