/** `ps`, `df`, `lsof`, `ss` and the like with random options: what runs unasked shows no process and no environment of others (GT-23). */

import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSandbox } from '../../../src/gate/sandbox/create-sandbox.js';
import type { Sandbox, View } from '../../../src/gate/sandbox/sandbox.js';
import type { Host } from '../../../src/host/host.js';
import { nodeHost } from '../../../src/host/node-host.js';
import fc from '../../support/fast-check.js';
import { makePlayground, type Playground } from '../../unit/gate/permissions/playground.js';

const MARK = 'zq-others-mark';

let place: Playground;
let host: Host;
let box: Sandbox;
let view: View | undefined;
let other: ReturnType<typeof spawn>;
const server = createServer();

beforeAll(async () => {
  place = await makePlayground();
  host = nodeHost(place.root, { PATH: process.env.PATH, HOME: place.home, ANTHROPIC_API_KEY: MARK });
  box = createSandbox({ host, roots: [place.root] });
  const ready = await box.prepare({ roots: [place.root], readRoots: [], denied: [], fixed: [], wide: false });
  if (ready.ok) view = ready.view;
  // The mark is in its arguments and in its environment.
  other = spawn('bash', ['-c', `sleep 900; : ${MARK}`], { env: { PATH: process.env.PATH, SECRET: MARK } });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  other.kill('SIGKILL');
  server.close();
  await box.close();
  await place.remove();
});

type Options = { readonly flags: string; readonly valued: string };

/** With and without a dash, in clusters and with values, `|` between them; some exclude each other, and some are refused. */
const PROGRAMS: Readonly<Record<string, Options>> = {
  ps: {
    flags:
      'e|f|a|u|x|w|l|j|A|H|L|c|S|s|v|X|T|r|h|n|ef|aux|auxe|axeww|eww|-e|-f|-A|-ef|-eF|-ww|-H|-L|-T|-j|-l|--forest|--deselect',
    valued:
      '-o args|-o pid,args|o cmd|O user|-p PID|p PID|--pid PID|--ppid 1|-q PID|-u root|-U 0|-C bash|-C sleep|-t ?|-s PID|-g root|--sort pid|--format args|PID',
  },
  df: {
    flags: '-a|-h|-H|-i|-k|-l|-m|-P|-T|--total|--all|--output',
    valued: '-B 1|-t tmpfs|-x tmpfs|--output=source,target',
  },
  lsof: {
    flags: '-a|-b|-C|-l|-n|-N|-O|-P|-R|-t|-U|-w|-X|-Q|-F|-i',
    valued: '-i :PORT|-i tcp|-p PID|-c bash|-c sleep|-d 0-9|-d cwd|-u root|-g PID|-F pcn|-sTCP:LISTEN|-T f',
  },
  ss: {
    flags: '-n|-r|-a|-l|-o|-e|-m|-p|-i|-s|-Z|-z|-b|-4|-6|-0|-t|-S|-u|-d|-w|-x|-H|-O|-tlnp|-anp|-xap|--all|--processes',
    valued: '-f inet|-f unix|-A tcp|-A all|state listening|--query=all|sport = :PORT',
  },
  netstat: { flags: '-a|-n|-t|-u|-p|-l|-e|-o|-r|-i|-s|-x|-w|-4|-6|-tlnp|-anp', valued: '-A inet' },
  pgrep: { flags: '-a|-l|-f|-n|-o|-x|-v|-c|-i|-w|-fl|-fa', valued: '-u root|-P 1|-P PID|-d ,|-s 0|bash|sleep|.' },
  pstree: { flags: '-a|-A|-c|-g|-l|-n|-p|-s|-S|-t|-T|-u|-Z', valued: 'PID|1|root|-H PID' },
  top: { flags: '-b|-c|-H|-i|-S|-w', valued: '-n 1|-n1|-p PID|-u root' },
  w: { flags: '-h|-s|-f|-o|-i', valued: 'root' },
};

const LINES = fc.constantFrom(...Object.keys(PROGRAMS), 'ps', 'ps', 'lsof', 'ss').chain((name) => {
  const { flags = '', valued = '' } = PROGRAMS[name] ?? {};
  const option = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...flags.split('|')) },
    { weight: 2, arbitrary: fc.constantFrom(...valued.split('|')) },
  );
  return fc.array(option, { minLength: 1, maxLength: 5 }).map((options) => [name, ...options].join(' '));
});

const fill = (line: string) => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return line.replaceAll('PID', String(other.pid)).replaceAll('PORT', String(port));
};

/** Undefined: it is asked about, or its program is not on this machine. */
async function runUnasked(line: string, inBox: View): Promise<string | undefined> {
  const decision = place.bash(line, { box: { deniedInGit: false, gitIsWhole: true } });
  if (decision.behavior !== 'allow') return undefined;
  expect(decision.run, line).toMatchObject({ kind: 'reading', blindTo: [expect.any(String)] });
  const plain = { file: 'bash', args: ['-c', line], cwd: place.root, env: host.env };
  const confined = await box.confine(plain, { kind: 'reading', show: [] }, { roots: inBox.roots, view: inBox });
  if (!confined.ok) throw new Error(confined.reason);
  const { stdout, stderr, code } = await host.processes.run({ ...confined.command, timeoutMs: 5_000 });
  return code === 127 ? undefined : `${stdout}${stderr}`;
}

it('GT-23: of 200 lines none sees a process, a connection or an environment of others', async (context) => {
  if (view === undefined) return context.skip('there is no sandbox on this machine');
  const known = [
    'ps auxeww',
    'ps -ef -p PID -o args -ww',
    'ps e -p PID -ww',
    'lsof -i :PORT',
    'ss -tlnp',
    'pgrep -fa sleep',
  ];
  const outside = await host.processes.run({
    file: 'bash',
    args: ['-c', fill(known.join('; '))],
    cwd: place.root,
    env: { ...host.env, ANTHROPIC_API_KEY: undefined },
  });
  // The mark and the port are there to be seen.
  for (const seen of [`SECRET=${MARK}`, 'sleep 900', fill(':PORT')]) expect(`${outside.stdout}`).toContain(seen);
  const lines = [...new Set([...known, ...fc.sample(LINES, { numRuns: 300, seed: Number(process.env.FC_SEED) })])];
  let ran = 0;
  let answered = 0;
  const seen: string[] = [];
  for (const line of lines) {
    const output = await runUnasked(fill(line), view);
    if (output === undefined) continue;
    ran += 1;
    if (output.split('\n').length > 2) answered += 1;
    const names = [MARK, 'sleep 900', ...(line.includes('PORT') ? [] : [fill(':PORT')])];
    if (names.some((name) => output.includes(name))) seen.push(`${line}: ${output.slice(0, 300)}`);
  }
  process.stdout.write(`\n${lines.length} lines about processes: ${ran} run, ${answered} with an answer\n`);
  expect(seen).toEqual([]);
  expect(ran).toBeGreaterThanOrEqual(200);
  expect(answered).toBeGreaterThanOrEqual(50);
});
