/**
 * `npm run torture:gate -- 500`: generated command lines, in environments and under rules of all kinds, through the gate;
 * what it allows without a user's word runs for real in a recorded playground. Exits with 1 if a line did more than the
 * profile it was allowed with (GT-23, GT-25, GT-34, GT-36), with 3 if nothing can be recorded here.
 * `--seed n` repeats a run: line m has the seed n + m - 1, and is repeated alone by `1 --seed <its seed>`. `--confine off`
 * judges as on a machine without a box; `--keep` shows what each allowed line did. `--lines file` tries these lines
 * instead of generated ones; `--gate open` allows everything, to see what the recorder finds then.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { CONSTRUCTS } from './torture-gate/constructs.mjs';
import { ENVIRONMENTS } from './torture-gate/environments.mjs';
import { findEscapes } from './torture-gate/find-escapes.mjs';
import { loadGate, openGate } from './torture-gate/gate.mjs';
import { generateLine } from './torture-gate/generate.mjs';
import { FAMILY_NAMES } from './torture-gate/lines/families.mjs';
import { readOptions } from './torture-gate/lines/options.mjs';
import { place as placeText } from './torture-gate/paths.mjs';
import { makePlayground } from './torture-gate/playground.mjs';
import { record } from './torture-gate/record.mjs';
import { REDIRECTIONS } from './torture-gate/redirections.mjs';
import { WORDS } from './torture-gate/words.mjs';
import { WRAPPERS } from './torture-gate/wrappers.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    confine: { type: 'string', default: 'on' },
    keep: { type: 'boolean' },
    lines: { type: 'string' },
    gate: { type: 'string', default: 'ours' },
  },
});
const CANNOT_RECORD = 3;
const given =
  values.lines === undefined ? undefined : readFileSync(values.lines, 'utf8').trim().split('\n').map(JSON.parse);
const count = given?.length ?? Number(positionals[0] ?? 500);
const firstSeed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
if (!Number.isInteger(count) || count < 1 || !Number.isInteger(firstSeed) || !/^(?:on|off)$/.test(values.confine)) {
  console.error('usage: npm run torture:gate -- <count> [--seed <n>] [--confine on|off] [--lines <file>] [--keep]');
  process.exit(2);
}

const bubblewrap = spawnSync('bwrap', ['--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', 'true']);
if (bubblewrap.status !== 0 || spawnSync('strace', ['-V']).status !== 0) {
  console.error(
    'torture:gate: nothing was run: it needs strace, bubblewrap and user namespaces (scripts/install-bubblewrap.sh)',
  );
  process.exit(CANNOT_RECORD);
}

/** Each with its own playground. */
const AT_ONCE = 2;

const hasBox = values.confine === 'on';
/** Around a line that is given. */
const ORDINARY = {
  ...{ folder: '', tags: [], mode: 'default', trusted: true, denies: true, allow: [], environment: 'plain' },
  ...{ worktree: false, stored: true, hardLink: false, forbids: false },
};
const NOT_RUN = { output: '', timedOut: false, did: [], boxes: 0, changes: [], uses: [], marks: [] };
const profiles = new Map();
const total = { lines: 0, allow: 0, ask: 0, deny: 0, confined: 0, refused: 0, timedOut: 0, started: 0 };
const seen = new Set();
const escapes = [];
const started = performance.now();
const [source] = await Promise.all([loadGate(), readOptions()]);
let next = 0;
await Promise.all(Array.from({ length: AT_ONCE }, work));
report();
process.exitCode = escapes.length === 0 ? 0 : 1;

async function work(_, slot) {
  const stages = new Map();
  const stageOf = async (stored) => {
    if (!stages.has(stored)) {
      const place = await makePlayground(stored);
      stages.set(stored, { place, gate: openGate(source, place, { confine: hasBox, open: values.gate === 'open' }) });
    }
    return stages.get(stored);
  };
  try {
    while (next < count) {
      const nth = next;
      next += 1;
      const line = given ? readLine(given[nth], nth) : generateLine(firstSeed + nth, { free: hasBox });
      const { place, gate } = await stageOf(line.stored);
      const placed = {
        ...line,
        nth,
        text: placeText(line.text, place),
        cwd: `${line.worktree ? place.worktree : place.root}${line.folder}`,
      };
      await tryLine(placed, place, gate, slot);
      if (total.lines % 1000 === 0)
        process.stderr.write(`${total.lines} of ${count} lines, ${escapes.length} escapes\n`);
    }
  } finally {
    for (const { place, gate } of stages.values()) {
      await gate.close();
      await place.remove();
    }
  }
}

/** A line that was found before: in the root, with the rules that deny, unless it says otherwise. */
function readLine({ line, did: _, ...around }, nth) {
  return { ...ORDINARY, ...around, seed: nth, text: line };
}

async function tryLine(line, place, gate, slot) {
  place.setTrusted(line.trusted);
  place.setLinked(line.hardLink);
  const { decision, command, finish, boxed } = await gate.ask(line);
  total.lines += 1;
  total[decision.behavior] += 1;
  const marksOfAsking = place.takeMarks();
  if (decision.behavior === 'allow' && command === undefined) total.refused += 1;
  const isRun = decision.behavior === 'allow' && command !== undefined;
  if (!isRun && marksOfAsking.length === 0) return;
  const { run } = decision;
  const profile = run?.kind ?? (line.allow.length > 0 ? 'ruled' : 'proven');
  const ran = isRun ? await runLine(line, place, slot, { command, finish, boxed }) : NOT_RUN;
  const found = findEscapes(
    line,
    place,
    { profile, run, boxed, hasBox: hasBox && isRun },
    { ...ran, marks: [...marksOfAsking, ...ran.marks] },
  );
  if (ran.changes.length > 0) await place.rebuild();
  if (isRun) profiles.set(profile, (profiles.get(profile) ?? 0) + 1);
  if (values.keep)
    console.error(
      JSON.stringify({
        seed: line.seed,
        text: line.text,
        by: decision.by,
        profile,
        boxed,
        output: ran.output.slice(0, 300),
        timedOut: ran.timedOut,
      }),
    );
  if (found.length > 0) tell(line, place, { decision, profile, boxed }, found);
}

async function runLine(line, place, slot, { command, finish, boxed }) {
  for (const tag of line.tags) seen.add(tag);
  seen.add(`environment: ${line.environment}`);
  if (boxed) total.confined += 1;
  const ran = await record({ ...command, confined: boxed }, place, slot);
  await finish?.({ code: 0, signal: null });
  if (ran.timedOut) total.timedOut += 1;
  total.started += ran.did.filter((entry) => entry.kind === 'start-program').length;
  return { ...ran, changes: place.changes(), uses: place.takeUses(), marks: place.takeMarks() };
}

function tell(line, place, { decision, profile, boxed }, found) {
  escapes.push(line.seed);
  const around = [
    line.mode,
    line.trusted ? 'trusted' : 'not trusted',
    `in ${line.cwd.slice(place.top.length)}`,
    decision.behavior === 'allow'
      ? `${boxed ? 'confined' : 'not confined'}, ${profile}`
      : `while it was judged: ${decision.behavior}`,
    `by ${decision.by}`,
    `environment ${line.environment}`,
    ...(line.allow.length > 0 ? [`allowed ${line.allow.join()}`] : []),
    ...(line.denies ? ['with denials'] : []),
    ...(line.stored ? ['stored in git'] : []),
  ];
  console.error(`seed ${line.seed} escaped (line ${line.nth + 1}, ${around.join(', ')}):`);
  console.error(`  ${line.text.replaceAll('\n', '\n  ')}`);
  for (const effect of found) console.error(`    ${effect}`);
}

function report() {
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`torture:gate: ${total.lines} lines in ${seconds} s, confinement ${values.confine}, seed ${firstSeed}`);
  const row = (name, figure) => console.log(`  ${name.padEnd(42)} ${figure}`);
  row('asked', total.ask);
  row('denied', total.deny);
  row('allowed and run', `${total.allow} (${Math.round((100 * total.allow) / total.lines)} %)`);
  for (const [profile, figure] of profiles) row(`of these ${profile}`, figure);
  row('of these confined', total.confined);
  row('of these refused by the box', total.refused);
  row('of these ended by the time limit', total.timedOut);
  row('programs they started', total.started);
  const covered = (kind, names) =>
    row(
      `${kind}s among the allowed`,
      `${names.filter((name) => seen.has(`${kind}: ${name}`)).length} of ${names.length}`,
    );
  covered('construct', CONSTRUCTS);
  covered('redirect', REDIRECTIONS);
  covered('word', WORDS);
  covered('wrapper', WRAPPERS);
  covered('environment', ENVIRONMENTS);
  covered('line', FAMILY_NAMES);
  row('escapes', escapes.length);
}
