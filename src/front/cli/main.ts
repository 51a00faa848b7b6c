#!/usr/bin/env node
/** The program. What needs nothing loaded is answered before anything is loaded. */

import manifest from '../../../package.json' with { type: 'json' };
import { loadProgram } from './load-program.js';

/** The bundle of `run-program.ts`, as the build named it. */
declare const PROGRAM_FILE: string;

const [first] = process.argv.slice(2);
if (first === '--version' || first === '-v' || first === '-V') {
  process.stdout.write(`${manifest.version} (coppice)\n`);
} else {
  const program = loadProgram(new URL(PROGRAM_FILE, import.meta.url));
  process.exitCode = await program.runProgram(process.argv.slice(2));
  // A headless session has been through what every session goes through.
  if (process.exitCode === 0 && (first === '-p' || first === '--print')) program.keepCompiled();
}
