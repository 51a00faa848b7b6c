/** npm run check: runs all static checks in parallel. Writes nothing into the clone. */

import { spawn } from 'node:child_process';

const node = process.execPath;
const CHECKS = [
  ['format and lint', 'node_modules/.bin/biome', ['check', '--error-on-warnings', '.']],
  ['types', node, ['node_modules/typescript7/bin/tsc', '-p', 'tsconfig.json']],
  ['samples of the docs', node, ['scripts/check-samples.mjs']],
  ['floors and cycles', node, ['scripts/check-floors.mjs']],
  ['effects outside host', node, ['scripts/check-effects.mjs']],
  ['file length and folder size', node, ['scripts/check-sizes.mjs']],
  ['unused code and dependencies', 'node_modules/.bin/knip', ['--no-progress']],
  ['code that only tests use', 'node_modules/.bin/knip', ['--no-progress', '--production']],
  ['package exports', node, ['scripts/check-exports.mjs']],
];

const results = await Promise.all(CHECKS.map(([name, file, args]) => run(name, file, args)));
for (const { name, ok, output } of results) {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name}`);
  if (!ok) console.log(output);
}
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;

function run(name, file, args) {
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => resolve({ name, ok: false, output: error.message }));
    child.on('close', (code) => resolve({ name, ok: code === 0, output }));
  });
}
