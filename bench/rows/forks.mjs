/** Rows for forks: repeated bytes, cached tokens read, which fork pays, cost, memory. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSim } from '../../dist/sim.mjs';
import { writeFiles } from '../stage.mjs';

const FORKS = 40;
const FILES = 9;
const FILE_BYTES = 28_000;
const MANY = 1_000;
const MEGABYTE_FILES = 37;
const PRICES = { input: 1, cacheRead: 0.1, cacheWrite: 1.25 };
const MARKER = /,"cache_control":\{"type":"ephemeral"(?:,"ttl":"1h")?\}/g;

export async function measure(stage) {
  await writeFiles(stage, 'page', MEGABYTE_FILES, FILE_BYTES);
  return [...(await fanOut(stage)), ...(await resumedFork(stage)), ...(await weigh(stage))];
}

const figure = (name, unit, ours, target, samples) => ({
  name,
  unit,
  ours,
  target,
  ...(samples ? { samples: { ours: samples } } : {}),
});
const read = (stage, n) => [{ tool: 'Read', input: { file_path: join(stage.project, `page${n}.txt`) } }];
const isFork = (request) => request.said.some((text) => text.includes('<fork-boilerplate>'));
const cached = ({ usage }) => usage.cache_read_input_tokens + usage.cache_creation_input_tokens;

/** 40 forks of a conversation of more than 50,000 tokens, started in one turn. Who pays shows where they share most. */
async function fanOut(stage) {
  const usual = await fanOutOnce(stage, 'auto');
  const sharing = await fanOutOnce(stage, 'all');
  return usual.map((row, index) => (row.name.includes('siblings that pay') ? sharing[index] : row));
}

async function fanOutOnce(stage, siblings) {
  const reply = (request) => {
    if (isFork(request)) return 'Scope: done';
    if (request.nth <= FILES) return [{ thinking: `page ${request.nth}` }, ...read(stage, request.nth)];
    if (request.nth > FILES + 1) return 'All is done.';
    return Array.from({ length: FORKS }, (_, n) => ({
      tool: 'Agent',
      input: {
        fork: true,
        description: `Part ${n}`,
        prompt: `DIRECTIVE ${n}: look into part ${n} and say what is in it.`,
      },
    }));
  };
  const sim = await startSim({ scenario: [{ reply }], ttftMs: 100 });
  try {
    const settings = JSON.stringify({ maxConcurrentAgents: FORKS, fork: { siblings } });
    await stage.start(stage.program('-p', 'Read, then hand out.', '--fork', 'on', '--settings', settings), sim.url)
      .ended;
    const { requests } = sim;
    const parent = requests[FILES];
    const forks = requests.filter(({ raw }) => raw.includes('<fork-boilerplate>'));
    if (forks.length !== FORKS || requests.some(({ status }) => status !== 200)) throw new Error(sim.report());
    const before = bare(parent);
    const shares = forks.map((fork) => (100 * sharedLength(before, bare(fork))) / before.length);
    const reads = forks.map(({ usage }) => (100 * usage.cache_read_input_tokens) / cached(parent));
    const written = forks.map(({ usage }) => usage.cache_creation_input_tokens);
    const payers = written.filter((tokens) => tokens > Math.min(...written) + 200).length;
    const cost = forks.reduce((sum, { usage }) => sum + costOf(usage), 0);
    const uncached = forks.reduce((sum, { usage }) => sum + cached({ usage }) + usage.input_tokens, 0) * PRICES.input;
    return [
      figure(
        "forks: parent's bytes repeated by each first request, the least",
        '%',
        Math.min(...shares),
        { least: 100 },
        shares,
      ),
      figure(`${FORKS} forks: parent's cached tokens read, the least`, '%', Math.min(...reads), { least: 99 }, reads),
      figure(`${FORKS} forks: siblings that pay for what they share`, '', payers, { most: 1 }),
      figure(`${FORKS} forks of ${cached(parent)} tokens: input cost, of uncached`, '%', (100 * cost) / uncached, {
        most: 12,
      }),
    ];
  } finally {
    await sim.close();
  }
}

/** A fork that is killed with its process during its second request, and is resumed. */
async function resumedFork(stage) {
  let hang = true;
  let reached = () => {};
  const there = new Promise((resolve) => {
    reached = resolve;
  });
  const reply = async (request) => {
    if (isFork(request)) {
      const own = request.body.messages.length;
      if (request.results.length > 1 || request.user.includes('<fork-boilerplate>')) return read(stage, FILES + 1);
      if (hang) {
        reached();
        await new Promise(() => {});
      }
      return `Scope: done after ${own} messages`;
    }
    if (request.nth <= FILES) return read(stage, request.nth);
    if (request.results.some(({ tool }) => tool === 'Agent') || request.said.some((text) => text.includes('Go on.')))
      return 'All is done.';
    return [{ tool: 'Agent', input: { fork: true, prompt: 'DIRECTIVE 1: go on.' } }];
  };
  const sim = await startSim({ scenario: [{ reply }] });
  try {
    const first = stage.start(
      stage.program('-p', 'Read, then fork.', '--fork', 'on', '--session-id', 'killed'),
      sim.url,
    );
    await there;
    process.kill(first.pid, 'SIGKILL');
    await first.ended.catch(() => {});
    const last = sim.requests.at(-1);
    hang = false;
    const settings = JSON.stringify({ resumeAgents: 'auto' });
    const args = ['-p', 'Go on.', '--resume', 'killed', '--fork', 'on', '--settings', settings];
    await stage.start(stage.program(...args), sim.url).ended;
    const next = sim.requests.slice(last.index + 1).find(({ raw }) => raw.includes('<fork-boilerplate>'));
    if (next?.status !== 200) throw new Error(`the fork did not go on\n${sim.report()}`);
    // The interrupted request wrote nothing to the cache: only its predecessor's entries can be read.
    const known = sim.requests.filter(
      ({ index, raw, usage }) => index < last.index && usage && raw.includes('<fork-boilerplate>'),
    );
    const share = (100 * next.usage.cache_read_input_tokens) / cached(known.at(-1) ?? last);
    return [
      figure('resumed fork after kill -9: its cached tokens read by the next request', '%', Math.min(100, share), {
        least: 99,
      }),
    ];
  } finally {
    await sim.close();
  }
}

/** A thousand forks of a megabyte at the same time, in one process. */
async function weigh(stage) {
  const reply = (request) => {
    if (isFork(request)) return request.user.includes('<fork-boilerplate>') ? [{ tool: 'Hold' }] : 'Scope: done';
    const asked = /Read file (\d+)\.$/.exec(request.user.trim())?.[1];
    return asked === undefined || request.results.length > 0 ? 'Read.' : read(stage, Number(asked));
  };
  const sim = await startSim({ scenario: [{ reply }], ttftMs: 300, keepBodies: false });
  const script = fileURLToPath(new URL('../forks-session.mjs', import.meta.url));
  try {
    const out = await stage.start(['--expose-gc', script, stage.project, String(MANY), String(MEGABYTE_FILES)], sim.url)
      .ended;
    const { completed, failures, perLivingForkKb, perEndedForkKb, peakMb, wall } = JSON.parse(
      out.trim().split('\n').at(-1),
    );
    if (completed !== MANY)
      throw new Error(`${completed} of ${MANY} forks completed: ${failures.slice(0, 3).join('; ')}`);
    return [
      figure(`${MANY} forks of 1 MB: memory of each while it lives, bodies apart`, 'KB', perLivingForkKb, {
        most: 100,
      }),
      figure(`${MANY} forks of 1 MB: memory of each once it has ended`, 'KB', perEndedForkKb, { most: 100 }),
      figure(`${MANY} forks of 1 MB: peak memory of the process`, 'MB', peakMb, { most: 1024 }),
      figure(`${MANY} forks of 1 MB: wall`, 's', wall),
    ];
  } finally {
    await sim.close();
    await rm(join(stage.home, '.coppice'), { recursive: true, force: true });
  }
}

function bare({ raw }) {
  return raw.toString('utf8').replace(MARKER, '').slice(0, -2);
}

function sharedLength(a, b) {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

function costOf(usage) {
  return (
    usage.input_tokens * PRICES.input +
    usage.cache_read_input_tokens * PRICES.cacheRead +
    usage.cache_creation_input_tokens * PRICES.cacheWrite
  );
}
