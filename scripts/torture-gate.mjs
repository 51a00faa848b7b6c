/**
 * `npm run torture:gate -- 500`: generated command lines through the gate; what it allows without a user's word runs
 * for real in a recorded playground. Exits with 1 if a line did more than read (GT-25).
 * `--seed n` repeats a run; `--confine off` judges as on a machine without a box; `--keep` shows what each allowed line
 * did. `--lines file` tries these lines instead of generated ones; `--gate open` allows everything, to see what the
 * recorder finds then.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { CONSTRUCTS } from './torture-gate/constructs.mjs';
import { findEscapes } from './torture-gate/find-escapes.mjs';
import { loadGate, openGate } from './torture-gate/gate.mjs';
import { generateLine } from './torture-gate/generate.mjs';
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

const total = { lines: 0, allow: 0, ask: 0, deny: 0, confined: 0, refused: 0, timedOut: 0, started: 0 };
const seen = new Set();
const escapes = [];
const started = performance.now();
const source = await loadGate();
let next = 0;
await Promise.all(Array.from({ length: AT_ONCE }, work));
report();
process.exitCode = escapes.length === 0 ? 0 : 1;

async function work(_, slot) {
  const place = await makePlayground();
  const gate = await openGate(source, place, { confine: values.confine === 'on', open: values.gate === 'open' });
  try {
    while (next < count) {
      const nth = next;
      next += 1;
      const line = given
        ? readLine(given[nth], nth, place)
        : generateLine(firstSeed + nth, place, { free: values.confine === 'on' });
      await tryLine(line, place, gate, slot);
      if (total.lines % 1000 === 0)
        process.stderr.write(`${total.lines} of ${count} lines, ${escapes.length} escapes\n`);
    }
  } finally {
    await gate.close();
    await place.remove();
  }
}

/** A line that was found before: in the root, with the rules that deny. */
function readLine({ line, mode }, nth, place) {
  return { seed: nth, text: placeText(line, place), cwd: place.root, tags: [], mode, trusted: true, denies: true };
}

async function tryLine(line, place, gate, slot) {
  place.setTrusted(line.trusted);
  const { decision, command, confined } = await gate.ask(line);
  total.lines += 1;
  total[decision.behavior] += 1;
  if (decision.behavior !== 'allow') return;
  if (command === undefined) {
    total.refused += 1;
    return;
  }
  for (const tag of line.tags) seen.add(tag);
  if (confined) total.confined += 1;
  const { output, timedOut, did } = await record({ ...command, confined }, place, slot);
  if (timedOut) total.timedOut += 1;
  total.started += did.filter((entry) => entry.kind === 'start-program').length;
  const changes = place.changes();
  const edits = line.mode === 'acceptEdits' && decision.run?.kind !== 'reading';
  const uses = place.takeUses();
  const found = findEscapes({
    output,
    did,
    changes,
    uses,
    place,
    confined,
    edits,
    denies: line.denies,
    refreshes: line.trusted && !confined,
  });
  if (changes.length > 0) await place.rebuild();
  if (values.keep)
    console.error(
      JSON.stringify({ seed: line.seed, text: line.text, by: decision.by, output: output.slice(0, 300), timedOut }),
    );
  if (found.length === 0) return;
  escapes.push(line.seed);
  console.error(
    `seed ${line.seed} escaped (${line.mode}, ${line.trusted ? 'trusted' : 'not trusted'}, in ${line.cwd.slice(place.top.length)}, ${confined ? 'confined' : 'not confined'}, by ${decision.by}):`,
  );
  console.error(`  ${line.text.replaceAll('\n', '\n  ')}`);
  for (const effect of new Set(found)) console.error(`    ${effect}`);
}

function report() {
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`torture:gate: ${total.lines} lines in ${seconds} s, confinement ${values.confine}, seed ${firstSeed}`);
  const row = (name, figure) => console.log(`  ${name.padEnd(42)} ${figure}`);
  row('asked', total.ask);
  row('denied', total.deny);
  row('allowed and run', `${total.allow} (${Math.round((100 * total.allow) / total.lines)} %)`);
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
  row('escapes', escapes.length);
}
