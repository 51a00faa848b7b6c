/**
 * `npm run bench`: what the program costs beside a floor that a bare Node script sets on the same work in the same run.
 * `npm run bench -- start session` measures only rows of these files; `--runs 5` changes how often each is measured.
 */

import { parseArgs } from 'node:util';
import { keepResults, lastRows } from './results.mjs';
import { setStage } from './stage.mjs';
import { printTable } from './table.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { runs: { type: 'string' } } });
/** A file in rows/ each, in the order of the table. */
const names = ['start', 'session', 'children', 'forks', 'permissions', 'resume'];
const unknown = positionals.find((name) => !names.includes(name));
const runs = values.runs === undefined ? undefined : Number(values.runs);
if (unknown !== undefined || (runs !== undefined && !(runs >= 1))) {
  console.error(unknown === undefined ? '--runs: give a number' : `no row "${unknown}"; there is: ${names.join(', ')}`);
  process.exit(2);
}

const rows = [];
const stage = await setStage();
try {
  for (const name of names.filter((name) => positionals.length === 0 || positionals.includes(name))) {
    process.stderr.write(`measuring ${name} …\n`);
    const { measure } = await import(`./rows/${name}.mjs`);
    rows.push(...(await measure(stage, runs)));
  }
} finally {
  await stage.close();
}
const before = await lastRows();
printTable(rows, before);
console.log(`\nkept in ${await keepResults(rows)}`);
