/** Agents in worktrees that are brought back: after a death, by a message, when the worktree is gone, moved or in use. */

import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { takeLock } from '../../../../src/host/locks/lock.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { begin, requestsOf, saidIn, script } from '../../../story/agents/agents-script.js';
import { noticesIn } from '../../../story/background/background-stage.js';
import { cutAfter } from '../../../story/durability/crash-stage.js';
import {
  apart,
  BASH,
  bash,
  goOn,
  lastBash,
  leftStage,
  recordFile,
  TASK,
} from '../../../story/worktrees/worktree-resume-stage.js';
import { listedWorktrees, setRepository, worktreeOf } from '../../../story/worktrees/worktree-stage.js';
import { gate, onceOpen } from '../../../support/gate.js';
import { agentTranscript } from '../../../support/session-files.js';
import { eventsOf, readTranscript } from '../../../support/story.js';
import { until } from '../../../support/until.js';

it('DU-17: moved by git, within the folder of worktrees: it goes on where that is now, and ends there', async () => {
  const { stage, session, worktree, agent } = await leftStage();
  const moved = join(worktree.path, '..', 'elsewhere');
  stage.git(['worktree', 'move', worktree.path, moved]);
  await goOn(stage, session.id, agent);
  expect(lastBash(stage)).toBe(`${moved}\na.txt\nmine`);
  expect(saidIn(requestsOf(stage.sim, TASK).at(-1) as never)).toContain(`moved from ${worktree.path} to ${moved}`);
  expect(noticesIn(stage.events).at(-1)?.text).toContain(`<worktree path="${moved}"`);
  expect(JSON.parse(await readFile(recordFile(stage), 'utf8'))).toMatchObject({ path: moved, stage: 'made' });
});

it('DU-17: moved out of the folder of worktrees: as if it were gone, and nothing there is touched', async () => {
  const { stage, session, worktree, agent } = await leftStage();
  const moved = join(stage.home, 'taken');
  stage.git(['worktree', 'move', worktree.path, moved]);
  await goOn(stage, session.id, agent);
  expect(lastBash(stage)).toContain(`${stage.folder}\n`);
  expect(existsSync(join(moved, 'mine'))).toBe(true);
});

it.each([
  ['its registration was cut short', 'gitdir', "git's registration of it is damaged"],
  ['git can’t read the repository', join('..', '..', 'config'), "git can't read its repository"],
])('DU-17: there, but %s: it does not go on in its parent’s files; mended, it goes on in it', async (_, name, why) => {
  const { stage, session, worktree, agent } = await leftStage();
  const file = join(worktree.git?.own ?? '', name);
  const content = await readFile(file);
  await writeFile(file, name === 'gitdir' ? '' : '[');
  const { again, refusal } = await goOn(stage, session.id, agent);
  expect(refusal).toContain(`its worktree can't be used: ${worktree.path} is there, but ${why}`);
  await writeFile(file, content);
  expect(await again.resumeAgent(agent)).toBeUndefined();
  await again.settled();
  expect(lastBash(stage)).toBe(`${worktree.path}\na.txt\nmine`);
});

it('WT-8, DU-17: in use by another process: it does not go on, with a clear reason; later it does', async () => {
  const { stage, session, worktree, agent } = await leftStage();
  const lock = recordFile(stage).replace(/json$/, 'lock');
  const taken = await takeLock(nodeHost(stage.folder), lock);
  const { again, refusal } = await goOn(stage, session.id, agent);
  expect(refusal).toMatch(/its worktree can't be used: the worktree agent-[0-9a-f]{8} is in use: held by process/);
  expect(listedWorktrees(stage)).toEqual([worktree.path]);
  if (taken.ok) await taken.lock.release();
  expect(await again.resumeAgent(agent)).toBeUndefined();
  await again.settled();
  expect(lastBash(stage)).toBe(`${worktree.path}\na.txt\nmine`);
});

it.each([
  ['in the background', { run_in_background: true }],
  ['that a call waits for', {}],
])(
  'LC-5, DU-17: result and state on record, but not what became of its worktree (a run %s): settled on resume, before anybody is told',
  async (_, more) => {
    const { stage, session, agent } = await unsettledStage(more, [[bash('touch mine')], 'Worked.']);
    const { path, branch } = worktreeOf(stage);
    await cutAfter(agentTranscript(session, agent), 'agent-state-changed');
    if ('run_in_background' in more) await cutAfter(session.transcript, 'call-finished');
    else await cutAfter(session.transcript, 'assistant-replied', 'TASK alpha');
    stage.events.length = 0;
    const again = await stage.open({ ...BASH, resume: session.id });
    await again.send('and?');
    await again.settled();
    const kinds = (await readTranscript(agentTranscript(again, agent))).map(({ event }) => event.kind);
    expect(kinds.slice(-2)).toEqual(['agent-state-changed', 'worktree-settled']);
    const told = JSON.stringify(requestsOf(stage.sim, 'and?')[0]?.body.messages);
    expect(told).toContain(path);
    expect(told).toContain(branch);
    expect(told).toContain('kept: untracked: mine');
    const order = stage.events.map(({ event }) => event.kind);
    const heard = 'run_in_background' in more ? 'input-admitted' : 'call-finished';
    expect(order.indexOf('worktree-settled')).toBeGreaterThanOrEqual(0);
    expect(order.indexOf('worktree-settled')).toBeLessThan(order.indexOf(heard));
  },
);

it('LC-5: without a change, what a death left is removed on resume, once', async () => {
  const held = gate();
  const stage = await setRepository(
    script({
      [TASK]: [onceOpen(held, 'Looked.')],
      main: [[apart({ run_in_background: true })], 'Waiting.'],
    }),
  );
  const session = await stage.open(BASH);
  await session.send(begin());
  await until(() => requestsOf(stage.sim, TASK).length === 1);
  await session.close();
  const agent = eventsOf(stage, 'agent-spawned')[0]?.agent ?? '';
  const file = agentTranscript(session, agent);
  // The end, as the process would have recorded it before it died.
  const lines = (await readFile(file, 'utf8')).split('\n').filter(Boolean);
  const last = JSON.parse(lines.at(-1) ?? '{}') as { kind: string; state: string };
  expect(last).toMatchObject({ kind: 'agent-state-changed', state: 'interrupted' });
  await writeFile(file, `${[...lines.slice(0, -1), JSON.stringify({ ...last, state: 'completed' })].join('\n')}\n`);
  for (const outcomes of [['removed'], []]) {
    stage.events.length = 0;
    const again = await stage.open({ ...BASH, resume: session.id });
    await again.send('and?');
    await again.settled();
    await again.close();
    expect(eventsOf(stage, 'worktree-settled').map(({ outcome }) => outcome)).toEqual(outcomes);
    expect(listedWorktrees(stage)).toEqual([]);
  }
});

it('WT-14: one that was made for an agent of which there is no record goes, too; those of other sessions stay', async () => {
  const call = apart({ run_in_background: true });
  const stage = await setRepository(
    script({ [TASK]: [() => new Promise<string>(() => {})], main: [[call], 'Waiting.', [call], 'Waiting.'] }),
  );
  const [session, other] = [await stage.open(BASH), await stage.open(BASH)];
  for (const one of [session, other]) {
    await one.send(begin());
    await one.close();
  }
  const [mine, theirs] = [worktreeOf(stage, 1), worktreeOf(stage, 2)];
  const agent = eventsOf(stage, 'agent-spawned')[0]?.agent ?? '';
  await rm(agentTranscript(session, agent));
  await (await stage.open({ ...BASH, resume: session.id })).send('and?');
  expect(listedWorktrees(stage)).toEqual([theirs.path]);
  expect(existsSync(mine.path)).toBe(false);
});

/** The process died after the state of a run, before its worktree was settled. */
async function unsettledStage(more: object, task: readonly unknown[]) {
  const stage = await setRepository(script({ [TASK]: task as never[], main: [[apart(more)], 'Main goes on.'] }));
  const session = await stage.open(BASH);
  await session.send(begin());
  await session.settled();
  await session.close();
  const agent = eventsOf(stage, 'agent-spawned')[0]?.agent ?? '';
  return { stage, session, agent };
}
