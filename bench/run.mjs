/**
 * `npm run bench`: measures the program against a floor: a bare Node script that does the same work in the same run.
 * `npm run bench -- start session` measures only these files; `--runs 5` sets how often each row is measured.
 * `--write` puts the figures into the README, if the machine is quiet; with `--busy` also if it is not.
 */

import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { isQuiet, writeReadme } from './readme.mjs';
import { keepResults, lastRows, resultsOf } from './results.mjs';
import { setStage } from './stage.mjs';
import { printTable } from './table.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string' },
    write: { type: 'boolean', default: false },
    busy: { type: 'boolean', default: false },
  },
});
/** Files in rows/, in the order of the table. */
const names = [
  'start',
  'agent-files',
  'session',
  'children',
  'siblings',
  'forks',
  'permissions',
  'box',
  'worktree',
  'resume',
  'terminal',
];
const unknown = positionals.find((name) => !names.includes(name));
const runs = values.runs === undefined ? undefined : Number(values.runs);
if (unknown !== undefined || (runs !== undefined && !(runs >= 1))) {
  console.error(
    unknown === undefined ? '--runs: give a number' : `unknown row "${unknown}"; available: ${names.join(', ')}`,
  );
  process.exit(2);
}

const [load = 0] = loadavg();
if (values.write && !values.busy && !isQuiet(load)) {
  console.error(
    `The load is ${load.toFixed(1)}: the README's figures are those of a quiet machine. Wait, or add --busy.`,
  );
  process.exit(1);
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
const results = resultsOf(rows, load);
console.log(`\nsaved to ${await keepResults(results)}`);
if (values.write) {
  await keepResults(results, true);
  await writeReadme(results);
}
