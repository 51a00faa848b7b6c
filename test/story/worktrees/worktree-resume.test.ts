/** Agents in worktrees that are brought back: after a death, by a message, when the worktree is gone, moved or in use. */

import { stat, utimes } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { agentTranscript } from '../../support/session-files.js';
import { eventsOf } from '../../support/story.js';
import { until } from '../../support/until.js';
import { begin, requestsOf, saidIn, script } from '../agents/agents-script.js';
import { noticesIn } from '../background/background-stage.js';
import { cutAfter } from '../durability/crash-stage.js';
import { apart, BASH, bash, goOn, lastBash, leftStage, recordFile, TASK } from './worktree-resume-stage.js';
import { listedWorktrees, setRepository, worktreeOf } from './worktree-stage.js';

it('DU-17, WT-8: it continues in its worktree, whose times are touched and which is locked again meanwhile', async () => {
  const { stage, session, worktree, agent } = await leftStage();
  await utimes(recordFile(stage), 1, 1);
  const { refusal } = await goOn(stage, session.id, agent);
  expect(refusal).toBeUndefined();
  expect(lastBash(stage)).toBe(`${worktree.path}\na.txt\nmine`);
  expect((await stat(recordFile(stage))).mtimeMs).toBeGreaterThan(10_000);
  expect(noticesIn(stage.events).at(-1)?.text).toContain(`<worktree path="${worktree.path}"`);
  expect(eventsOf(stage, 'worktree-settled').map(({ outcome }) => outcome)).toEqual(['kept']);
});

it('DU-17: gone: it continues in its parent’s folder, the agent itself is informed, and its roots are the session’s', async () => {
  const { stage, session, worktree, agent } = await leftStage();
  stage.git(['worktree', 'remove', '--force', worktree.path]);
  stage.events.length = 0;
  await goOn(stage, session.id, agent);
  expect(lastBash(stage)).toContain(`${stage.folder}\n`);
  const said = saidIn(requestsOf(stage.sim, TASK).at(-1) as never);
  expect(said).toContain(
    `The worktree you worked in, ${worktree.path}, is no longer there. From now on you work in ${stage.folder}`,
  );
  const lines = eventsOf(stage, 'line-shown').map(({ line }) => line);
  expect(lines).toContainEqual(expect.stringContaining('its worktree is gone'));
  expect(noticesIn(stage.events).at(-1)?.text).not.toContain('<worktree path');
});

it('LC-12, DU-17: a message to one that has ended brings it back into the worktree that was kept', async () => {
  const stage = await setRepository(
    script({
      [TASK]: [[bash('touch mine')], 'First.', [bash('pwd; ls')], 'Second.'],
      main: [[apart({ name: 'al' })], [{ tool: 'SendMessage', input: { to: 'al', message: 'more' } }], 'End.'],
    }),
  );
  const session = await stage.open(BASH);
  await session.send(begin());
  await session.settled();
  const { path } = worktreeOf(stage);
  expect(lastBash(stage)).toBe(`${path}\na.txt\nmine`);
  expect(eventsOf(stage, 'worktree-settled').map(({ run, outcome }) => ({ run, outcome }))).toEqual([
    { run: 1, outcome: 'kept' },
    { run: 2, outcome: 'kept' },
  ]);
  expect(stage.git(['worktree', 'list', '--porcelain'])).not.toContain('locked');
});

it('WT-14, DU-16: one that died before it had its task never began: its worktree goes when the session continues', async () => {
  const stage = await setRepository(
    script({ [TASK]: [() => new Promise<string>(() => {})], main: [[apart({ run_in_background: true })], 'Waiting.'] }),
  );
  const session = await stage.open(BASH);
  await session.send(begin());
  await until(() => requestsOf(stage.sim, TASK).length === 1);
  await session.close();
  expect(listedWorktrees(stage)).toHaveLength(1);
  const agent = eventsOf(stage, 'agent-spawned')[0]?.agent ?? '';
  await cutAfter(agentTranscript(session, agent), 'agent-spawned');
  await (await stage.open({ ...BASH, resume: session.id })).send('and?');
  expect(listedWorktrees(stage)).toEqual([]);
});
