/** Processes with a mark: found anywhere, ended, and distinguished. */

import { expect, it, onTestFinished } from 'vitest';
import { nodeHost } from '../../../src/host/node-host.js';
import { hookMark, markProcesses, readMark } from '../../../src/host/process-mark.js';
import { bundle } from '../../support/bundle.js';
import { runningWith } from '../../support/processes.js';
import { scratchFolder } from '../../support/scratch.js';
import { until } from '../../support/until.js';

const PLAIN = nodeHost('/');
let number = 0;

/** Its own session, and a sleep time that only its processes use. */
function setStage() {
  number += 1;
  const session = `marked-${process.pid}-${number}`;
  const seconds = `${process.pid}${number}.5`;
  const sleeps = () => runningWith(`sleep ${seconds}`).filter((line) => /^\d+ sleep/.test(line));
  onTestFinished(() => {
    for (const line of sleeps()) process.kill(Number(line.split(' ')[0]), 'SIGKILL');
  });
  const start = async (script: string, call = 'a call: with %odd words', wanted = 1) => {
    const host = markProcesses(PLAIN, { session, agent: 'main', call });
    const command = { file: 'bash', args: ['-c', script.replaceAll('$S', seconds)], cwd: '/', env: process.env };
    const running = host.processes.start(command);
    await running.exit;
    await until(() => sleeps().length === wanted);
  };
  return { session, sleeps, start };
}

it('DU-12: what left its group, changed its parent or minds no SIGTERM is found and ended, and named', async () => {
  const { session, sleeps, start } = setStage();
  await start(`setsid sleep $S & setsid bash -c 'trap "" TERM; sleep $S; sleep $S; true' & disown -a; exit`, 'c1', 2);
  const ended = await PLAIN.processes.endMarked(session, 'earlier-process');
  expect(sleeps()).toEqual([]);
  expect(ended.every(({ isGone }) => isGone)).toBe(true);
  expect(ended.every(({ mark }) => mark.agent === 'main' && mark.call === 'c1' && mark.session === session)).toBe(true);
  expect(ended.map(({ command }) => command)).toContain('bash');
  expect(ended.some(({ command }) => command.startsWith('sleep '))).toBe(true);
  expect(await PLAIN.processes.endMarked(session, 'earlier-process')).toEqual([]);
});

it('DU-12: processes of another session, and those without a mark, are left alone', async () => {
  const mine = setStage();
  const other = setStage();
  await mine.start('setsid sleep $S &');
  await other.start('setsid sleep $S & setsid env -i sleep $S &', 'c', 2);
  expect(await PLAIN.processes.endMarked(mine.session, 'this-process')).toHaveLength(1);
  expect(other.sleeps()).toHaveLength(2);
  // A cleared environment has no mark any more: that one is not found.
  expect(await PLAIN.processes.endMarked(other.session, 'this-process')).toHaveLength(1);
  expect(other.sleeps()).toHaveLength(1);
});

it('DU-12: a mark that was inherited from another program is not mistaken for ours', async () => {
  const { session, sleeps, start } = setStage();
  await start('setsid sleep $S &', 'c');
  const inside = { ...process.env, COPPICE_CALL: `${session}:main:c` };
  await PLAIN.processes.run({ file: 'true', args: [], cwd: '/', env: inside });
  const unknown = 'session that started nothing here';
  expect(await PLAIN.processes.endMarked(unknown, 'this-process')).toEqual([]);
  expect(sleeps()).toHaveLength(1);
});

it('DU-12: a program that resumes its own session from one of its commands ends neither itself nor its parents', async () => {
  const { session } = setStage();
  const module = await bundle(
    new URL('../../../src/host/node-marked-processes.ts', import.meta.url),
    await scratchFolder(),
  );
  const script = `
    import { endMarked } from '${module}';
    const ended = await endMarked('${session}', 'earlier-process');
    console.log(JSON.stringify(ended.map(({ command }) => command)));`;
  const host = markProcesses(PLAIN, { session, agent: 'main', call: 'c' });
  const resume = `"${process.execPath}" --input-type=module <<'END'\n${script}\nEND`;
  const command = `setsid sleep 55.5 & until grep -q sleep /proc/$!/cmdline && ! grep -q setsid /proc/$!/cmdline; do :; done; ${resume}\necho "and I live"`;
  const run = await host.processes.run({ file: 'bash', args: ['-c', command], cwd: '/', env: process.env });
  expect(run.stdout.toString('utf8'), run.stderr.toString('utf8')).toBe('["sleep 55.5"]\nand I live\n');
});

it('DU-12: a mark survives any text, and other text is not a mark', () => {
  expect(readMark('s:a:c')).toEqual({ session: 's', agent: 'a', call: 'c' });
  expect(readMark('s:a')).toBeUndefined();
  expect(readMark('s:a:%')).toBeUndefined();
  expect(hookMark('s', 'a', 'Stop')).toEqual({ session: 's', agent: 'a', call: 'hook Stop' });
});
