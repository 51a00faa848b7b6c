/** The README's figures: made from the results of one run, and put between two marks. */

import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ratioText, show } from './table.mjs';

const README = fileURLToPath(new URL('../README.md', import.meta.url));
const BEGIN = '<!-- figures of one run: npm run bench -- --write -->';
const END = '<!-- end of the figures -->';

/** A run is treated as quiet if this little was in progress before it, per core. */
const QUIET_LOAD = 0.25;

/** In the order of the README: how the row's name begins, and how the README names it. */
const COMPARED = [
  ['--version', '`--version`, ms'],
  ['start → first request', 'start → first request, ms'],
  ['start → first request, installation not writable', '… where the installation is not writable'],
  ['start → first request, very first start', '… on the very first start'],
  ['40 turns: CPU per further request', '40 turns, 230 KB each: CPU per further request, ms'],
  ['32 children: wall', '32 forks at once, 300 ms to the first token: wall, s'],
  ['32 children: CPU per request', '32 forks: CPU per request, ms'],
  ['32 children: peak memory', '32 forks: peak memory, MB'],
  ['worktree of 50,000 files', 'a worktree of 50,000 files (vs `git worktree add`), ms'],
  ['the same, 2 of 500 folders', '… with 2 of its 500 folders'],
  ['resume of 300 MB over 1 MB', 'resume of a 300 MB transcript (vs 1 MB), ms'],
  ['--continue among 10,000 sessions over 100', '`--continue` among 10,000 sessions (vs 100), ms'],
  ['first paint: CPU', 'terminal: first paint (vs bare Node), CPU ms'],
  ['20 agents, 2,000 lines at 200/s: CPU', 'terminal: 20 agents and 2,000 lines at 200/s, CPU ms'],
  ['20 agents, 2,000 lines at 200/s: written', '… written to the terminal, KB'],
  ['20 agents, 2,000 lines at 200/s: memory', '… memory, MB'],
];
const OF_FORKS = [
  ["forks: parent's bytes repeated", "bytes of the parent's request that a fork repeats"],
  ["40 forks: parent's cached tokens read", "parent's cached tokens that each of 40 forks reads"],
  ['40 forks: siblings that pay', 'siblings of 40 that pay for what they share'],
  [
    /^40 forks of (\d+) tokens: input cost/,
    (tokens) => `input cost of 40 forks of ${tokens} tokens, of the same uncached`,
  ],
  ['1000 forks of 1 MB: memory of each while it lives', 'memory of a fork of a 1 MB conversation'],
];

export function isQuiet(load) {
  return load <= QUIET_LOAD * cpus().length;
}

/** The section for the results of a run. Rows that it did not measure are left out. */
export function describeResults({ at, machine, rows }) {
  const compared = findRows(rows, COMPARED).map(
    ([label, row]) => `| ${label} | ${show(row.floor)} | ${show(row.ours)} | ${ratioText(row)} |`,
  );
  const forks = findRows(rows, OF_FORKS).map(
    ([label, row]) => `| ${label} | ${`${plain(row.ours)} ${row.unit}`.trim()} |`,
  );
  const { cores, cpu, load, node } = machine;
  return [
    `Measured on ${at.slice(0, 10)} with Node ${node.slice(1)} on ${cores} cores (${cpu}), load ${load.toFixed(1)} when the run began.`,
    ['| | floor | Coppice | ratio |', '|---|--:|--:|--:|', ...compared].join('\n'),
    ...(forks.length > 0 ? [['| forks | |', '|---|--:|', ...forks].join('\n')] : []),
  ].join('\n\n');
}

export async function writeReadme(results) {
  const text = await readFile(README, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`README.md has no place for the figures: ${BEGIN} … ${END}`);
  await writeFile(README, `${text.slice(0, begin)}${BEGIN}\n${describeResults(results)}\n${text.slice(end)}`);
}

/** Exact names come first: one name may begin another. */
function findRows(rows, wanted) {
  const measured = rows.filter((row) => row.notYet === undefined);
  return wanted.flatMap(([name, label]) => {
    if (typeof name !== 'string') {
      const row = measured.find((one) => name.test(one.name));
      return row === undefined ? [] : [[label(Number(name.exec(row.name)[1]).toLocaleString('en')), row]];
    }
    const row = measured.find((one) => one.name === name) ?? measured.find((one) => one.name.startsWith(name));
    return row === undefined ? [] : [[label, row]];
  });
}

/** Without digits that say nothing: 100, not 100.0. */
function plain(value) {
  return Number.isInteger(value) ? String(value) : show(value);
}
