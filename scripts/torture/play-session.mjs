/** Plays one tortured session from its first prompt to its end, with all that befalls it. */

import { mkdir, mkdtemp, readdir, realpath, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startSim } from '../../dist/sim.mjs';
import { checkStruck, makeRepository } from './check-worktrees.mjs';
import { runOnce } from './run-once.mjs';
import { mount } from './small-disk.mjs';
import { isSudden, planStrike } from './strike.mjs';
import { createModel, LINES_FILE } from './work.mjs';

/** How many starts are allowed beyond the number of strikes. */
const SPARE_STARTS = 3;
const BUSY = /open in another process|in use/;
const MODEL = 'claude-opus-5-5';

export async function playSession(random, ways) {
  const began = performance.now();
  const scratch = await realpath(await mkdtemp(join(tmpdir(), 'coppice-torture-')));
  const project = join(scratch, 'project');
  const home = join(scratch, 'home');
  await Promise.all([mkdir(project), mkdir(home)]);
  makeRepository(project);
  const strikes = Array.from({ length: random.whole(1, 4) }, () => planStrike(random, ways));
  const disk = strikes.some(({ what }) => what === 'fill') ? mount(home) : undefined;
  const plan = planWork(random);
  if (plan.compacts) await limitContext(home);
  const linesFile = join(project, LINES_FILE);
  let nonces = 0;
  const nonce = () => {
    nonces += 1;
    return `${random.seed}n${nonces}`;
  };
  const sleepMs = () => (plan.long && random.chance(0.4) ? random.whole(600, 1_500) : random.whole(0, 60));
  const model = createModel({ plan, linesFile, sleepMs, nonce });
  const sim = await startSim({
    scenario: [
      {
        reply: async (request) => {
          await sleep(random.whole(0, 25));
          return model(request);
        },
      },
    ],
    chunk: undefined,
  });
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    COPPICE_HOME: join(home, '.coppice'),
    COPPICE_MANAGED_SETTINGS: join(home, 'managed.json'),
    ANTHROPIC_BASE_URL: sim.url,
    ANTHROPIC_API_KEY: 'torture',
    COPPICE_FORK_SUBAGENT: '1',
    ...(plan.automatic ? { COPPICE_RESUME_AGENTS: 'auto' } : {}),
  };
  const played = {
    scratch,
    project,
    home,
    plan,
    linesFile,
    strikes,
    /** Lines of stdout of all processes, in order. */
    printed: [],
    /** Calls that we allowed. */
    allowed: new Set(),
    locked: [],
    /** What was wrong with the repository right after a strike. */
    struck: [],
    stuck: [],
    /** What a second process, or one that was left, did wrong. */
    left: [],
    facts: { kills: 0, trees: 0, signals: 0, powers: 0, refused: 0, filled: 0, seconds: 0, resumes: 0, automatic: 0 },
  };
  for (let start = 0; ; start += 1) {
    const strike = strikes[start];
    const goesOn = await hasSession(env.COPPICE_HOME);
    if (goesOn) played.facts.resumes += 1;
    if (goesOn && plan.automatic) played.facts.automatic += 1;
    // A machine that fails on its own would not wait for the second process.
    const isJoined = start === plan.secondAt && strike?.fault === undefined;
    const end = await runOnce({ played, env, sim, random, strike, disk, goesOn, isJoined, number: start });
    count(played.facts, end, strike);
    if (end.struckDown) played.struck.push(...(await lastingFaults(() => checkStruck(project))));
    if (end.done && !end.struckDown) break;
    if (BUSY.test(end.stderr)) played.locked.push(end.stderr.trim());
    const said = end.stderr.trim().slice(-400);
    if (end.stuck) played.stuck.push(`start ${start} (${strike?.what ?? 'nothing'}): ${end.stuck} (${said})`);
    const mayEnd = end.struckDown || strike?.what === 'refuse' || strike?.what === 'fill';
    if (!mayEnd && !end.stuck) played.stuck.push(`ended with ${end.code} before it was done: ${said}`);
    if (end.stuck || start > strikes.length + SPARE_STARTS) break;
  }
  await sim.close();
  const removeDisk = () => disk?.remove();
  return { ...played, removeDisk, requests: sim.requests, unmatched: sim.unmatched, ms: performance.now() - began };
}

/** A git that the killed process had started may still write while another looks: what is wrong stays wrong. */
async function lastingFaults(look) {
  for (let tries = 0; ; tries += 1) {
    const found = await look();
    if (found.length === 0 || tries === 4) return found;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

function planWork(random) {
  const compacts = random.chance(0.25);
  return {
    automatic: random.chance(0.5),
    forks: random.whole(1, 2),
    nested: random.pick([
      ['none', 1],
      ['background', 3],
      ['waited', 3],
    ]),
    twig: random.chance(0.4),
    /** How the child in a worktree is started. */
    tree: random.pick([
      ['waited', 1],
      ['fork', 1],
      ['background', 2],
    ]),
    /** Commands that last longer than most strikes are apart. */
    long: random.chance(0.3),
    compacts,
    padding: compacts ? `I write much. ${'word '.repeat(9_000)}` : undefined,
    /** At which start a second process tries to get in. */
    secondAt: random.chance(0.2) ? random.whole(0, 2) : undefined,
  };
}

async function limitContext(home) {
  await mkdir(join(home, '.claude'));
  const settings = { models: { [MODEL]: { context: 16_000, maxOutput: 1_000 } } };
  await writeFile(join(home, '.claude', 'settings.json'), JSON.stringify(settings));
}

function count(facts, end, strike) {
  if (!end.struckDown && !end.struck) return;
  if (strike.what === 'power') facts.powers += 1;
  else if (strike.what === 'tree') facts.trees += 1;
  else if (isSudden(strike.what)) facts.kills += 1;
  else if (strike.what === 'refuse') facts.refused += 1;
  else if (strike.what === 'fill') facts.filled += 1;
  else facts.signals += 1;
}

/** True if there is anything on disk to continue from. */
async function hasSession(home) {
  const names = await readdir(join(home, 'projects'), { recursive: true }).catch(() => []);
  const sizes = names.filter((name) => name.endsWith('.jsonl')).map((name) => stat(join(home, 'projects', name)));
  return (await Promise.all(sizes)).some(({ size }) => size > 0);
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
