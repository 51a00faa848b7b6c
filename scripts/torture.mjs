/**
 * `npm run torture -- 25`: plays sessions of the real program with a parent, forks, background children, their own
 * children and a child in a worktree, and strikes them at random moments, also during start and resume: SIGKILL (of the program, of all its
 * processes, right after a record), SIGTERM, SIGINT, loss of power, a full disk, a write that fails, a second process. Each
 * is continued with --continue until the work is done. An independent checker then verifies the files, the output, the
 * effects and the requests. Exits with 1 if anything was lost.
 * `--seed n` repeats the choices of a run (not its timing); `--keep` keeps the folders of failed runs; `--only power,refuse`
 * strikes in these ways only (see torture/strike.mjs).
 */

import { rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { checkSession, noFaults } from './torture/check-session.mjs';
import { playSession } from './torture/play-session.mjs';
import { createRandom } from './torture/random.mjs';
import { canMount } from './torture/small-disk.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    only: { type: 'string' },
    keep: { type: 'boolean' },
    verbose: { type: 'boolean' },
  },
});
const count = Number(positionals[0] ?? 25);
const firstSeed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
if (!Number.isInteger(count) || count < 1 || !Number.isInteger(firstSeed)) {
  console.error('usage: npm run torture -- <count> [--seed <n>] [--only <ways>] [--keep] [--verbose]');
  process.exit(2);
}

/** Two sessions at a time: each delays the other, which varies the moments of the strikes. */
const AT_ONCE = 2;
const canFill = canMount();
const only = values.only?.split(',');

const total = { ...noFaults(), runs: 0 };
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
    const played = await playSession(createRandom(seed), { canFill, only });
    const { faults, facts } = await checkSession(played);
    total.runs += 1;
    for (const [name, figure] of Object.entries({ ...facts, ...played.facts }))
      total[name] = (total[name] ?? 0) + figure;
    for (const [name, lines] of Object.entries(faults)) total[name] += lines.length;
    const lines = Object.entries(faults).flatMap(([name, found]) => found.map((line) => `${name}: ${line}`));
    const befell = played.strikes.map(({ what }) => what).join(', ');
    if (lines.length > 0) {
      failures.push({ seed, lines });
      console.error(`seed ${seed} failed (${befell})${values.keep ? ` (kept: ${played.scratch})` : ''}:`);
      for (const line of lines) console.error(`  ${line}`);
    }
    if (values.verbose) console.error(`seed ${seed}: ${befell}; ${Math.round(played.ms)} ms`);
    if (lines.length === 0 || !values.keep) {
      played.removeDisk();
      await rm(played.scratch, { recursive: true, force: true });
    }
    if (total.runs % 25 === 0) process.stderr.write(`${total.runs} of ${count} runs, ${failures.length} failed\n`);
  }
}

function report() {
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`torture: ${total.runs} runs in ${seconds} s, seed ${firstSeed}`);
  const line = (name, figure) => console.log(`  ${name.padEnd(46)} ${figure}`);
  line('killed with SIGKILL', total.kills + total.trees);
  line('  of these with all its processes', total.trees);
  line('ended by SIGTERM or SIGINT', total.signals);
  line('lost power', total.powers);
  line(
    'had a full disk that was enlarged later',
    canFill ? total.filled : 'not tried: no small disk can be mounted here',
  );
  line('had a write that failed', total.refused);
  line('were joined by a second process', total.seconds);
  line('resumed (with agents resumed automatically)', `${total.resumes} (${total.automatic})`);
  line('requests to the model', total.requests);
  line('records on disk', total.records);
  line('notices', total.notices);
  line('children of children', total.nested);
  line('worktrees kept with work', total.worktrees);
  line('  kept empty: killed before the agent began', total.unbegun);
  line('compactions', total.compactions);
  line('effects repeated after "outcome unknown"', total.repeats);
  line('acknowledged records lost', total.lost);
  line('notices lost or doubled', total.notice);
  line('unreadable files', total.unreadable);
  line('invalid requests', total.invalid);
  line('leftover locks that block', total.lock);
  line('effects repeated in silence', total.repeated);
  line('processes left, second writers', total.left);
  line('worktrees lost, left locked, or damaged', total.worktree);
  line('sessions that did not finish', total.stuck);
  const n = (figure) => figure.toLocaleString('en-US');
  console.log(
    `for the README: ${n(total.runs)} sessions, ${n(total.kills + total.trees)} kills, ${n(total.signals)} signals, ${n(total.powers)} losses of power, ${n(total.filled)} full disks, ${n(total.refused)} failed writes, ${n(total.seconds)} second processes, ${n(total.resumes)} resumes, ${n(total.records)} records, ${n(total.notices)} notices, ${n(total.nested)} children of children, ${n(total.compactions)} compactions`,
  );
}
