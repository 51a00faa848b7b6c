/**
 * `npm run torture -- 25`: kills the real program with SIGKILL at random moments of a session with a parent, forks and a
 * background child, also during resume, and continues with --continue until the work is done. An independent checker
 * then verifies the files, the output and the requests. Exits with 1 if anything was lost.
 * `--seed n` repeats the choices of a run (not its timing); `--keep` keeps the folders of failed runs.
 */

import { rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { checkSession, noFaults } from './torture/check-session.mjs';
import { playSession } from './torture/play-session.mjs';
import { createRandom } from './torture/random.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, keep: { type: 'boolean' }, verbose: { type: 'boolean' } },
});
const count = Number(positionals[0] ?? 25);
const firstSeed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
if (!Number.isInteger(count) || count < 1 || !Number.isInteger(firstSeed)) {
  console.error('usage: npm run torture -- <count> [--seed <n>] [--keep]');
  process.exit(2);
}

/** Two sessions at a time: each delays the other, which varies the moments of the kills. */
const AT_ONCE = 2;

const total = {
  ...noFaults(),
  runs: 0,
  kills: 0,
  resumes: 0,
  automatic: 0,
  requests: 0,
  records: 0,
  notices: 0,
  repeats: 0,
};
const failures = [];
const started = performance.now();
let next = 0;
await Promise.all(Array.from({ length: AT_ONCE }, work));
report();
process.exitCode = failures.length === 0 ? 0 : 1;

async function work() {
  while (next < count) {
    const seed = firstSeed + next;
    next += 1;
    const played = await playSession(createRandom(seed));
    const { faults, facts } = await checkSession(played);
    total.runs += 1;
    for (const [name, figure] of Object.entries({ ...facts, ...played.facts })) total[name] += figure;
    for (const [name, lines] of Object.entries(faults)) total[name] += lines.length;
    const lines = Object.entries(faults).flatMap(([name, found]) => found.map((line) => `${name}: ${line}`));
    if (lines.length > 0) {
      failures.push({ seed, lines });
      console.error(`seed ${seed} failed${values.keep ? ` (kept: ${played.scratch})` : ''}:`);
      for (const line of lines) console.error(`  ${line}`);
    }
    if (values.verbose) console.error(`seed ${seed}: ${played.facts.kills} kills, ${Math.round(played.ms)} ms`);
    if (lines.length === 0 || !values.keep) await rm(played.scratch, { recursive: true, force: true });
    if (total.runs % 25 === 0) process.stderr.write(`${total.runs} of ${count} runs, ${failures.length} failed\n`);
  }
}

function report() {
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`torture: ${total.runs} runs in ${seconds} s, seed ${firstSeed}`);
  const line = (name, figure) => console.log(`  ${name.padEnd(42)} ${figure}`);
  line('killed with SIGKILL', total.kills);
  line('resumed (with agents resumed automatically)', `${total.resumes} (${total.automatic})`);
  line('requests to the model', total.requests);
  line('records on disk', total.records);
  line('notices', total.notices);
  line('effects repeated after "outcome unknown"', total.repeats);
  line('acknowledged records lost', total.lost);
  line('notices lost or doubled', total.notice);
  line('unreadable files', total.unreadable);
  line('invalid requests', total.invalid);
  line('leftover locks that block', total.lock);
  line('effects repeated in silence', total.repeated);
  line('sessions that did not finish', total.stuck);
}
