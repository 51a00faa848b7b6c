#!/usr/bin/env node
/** The program. What needs nothing loaded is answered before anything is loaded. */

import manifest from '../../../package.json' with { type: 'json' };

const [first] = process.argv.slice(2);
if (first === '--version' || first === '-v' || first === '-V') {
  process.stdout.write(`${manifest.version} (coppice)\n`);
} else {
  const { runProgram } = await import('./run-program.js');
  process.exitCode = await runProgram(process.argv.slice(2));
}
