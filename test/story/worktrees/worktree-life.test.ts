/** The life of a child in a worktree: background, descendants, refusals, aborts, the end of the session. */

import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gate } from '../../support/gate.js';
import { fastHost } from '../../support/hosts/fast-host.js';
import { agentTranscript } from '../../support/session-files.js';
import { eventsOf, expectAllAccepted, readTranscript } from '../../support/story.js';
import { until } from '../../support/until.js';
import {
  agentCall,
  agentFile,
  begin,
  inProject,
  mainResults,
  requestOf,
  requestsOf,
  resultsIn,
  saidIn,
  script,
} from '../agents/agents-script.js';
import { callResults, noticesIn } from '../background/background-stage.js';
import { failingHost } from '../holes/failing-host.js';
import { branchesOf, listedWorktrees, type RepositoryStage, setRepository, worktreeOf } from './worktree-stage.js';

const TASK = 'TASK alpha';
const apart = (prompt: string, more: object = {}) => agentCall(prompt, { isolation: 'worktree', ...more });
const bash = (command: string) => ({ tool: 'Bash', input: { command } });
const BASH = { allowedTools: ['Bash'] };

const nothingLeft = (stage: RepositoryStage) => {
  expect(listedWorktrees(stage)).toEqual([]);
  expect(branchesOf(stage)).toEqual(['main']);
};

it('LC-5, LC-8, WT-7: in the background: path and branch from its start, in the notice whether it was kept and why; each step on record before the next', async () => {
  const held = gate();
  const stage = await setRepository(
    script({
      [TASK]: [
        async () => {
          await held.opened;
          return [bash('touch made')];
        },
        'Worked.',
      ],
      main: [
        [apart(TASK, { name: 'al', run_in_background: true })],
        [
          { tool: 'TaskOutput', input: { task_id: 'al', block: false } },
          { tool: 'ListAgents', input: {} },
        ],
        'Waiting.',
      ],
    }),
  );
  await stage.settings({ handoffCheck: 'cat > handed.json' });
  const session = await stage.open(BASH);
  await session.send(begin());
  const { path, branch } = worktreeOf(stage);
  const line = `worktree: ${path} (branch ${branch})`;
  expect(mainResults(stage)[0]?.text).toContain(line);
  const [shown, listed] = [callResults(stage, 'TaskOutput')[0], callResults(stage, 'ListAgents')[0]];
  expect(shown).toContain(line);
  expect(listed).toContain(`[${line}]`);
  expect(session.tasks()[0]).toMatchObject({ worktree: { path, branch } });
  held.open();
  await session.settled();
  expectAllAccepted(stage.sim);
  const [notice] = noticesIn(stage.events);
  expect(notice?.text).toContain(`<worktree path="${path}" branch="${branch}" why="kept: untracked: made"/>`);
  const id = eventsOf(stage, 'agent-spawned')[0]?.agent ?? '';
  const kinds = (await readTranscript(agentTranscript(session, id))).map(({ event }) => event.kind);
  expect(kinds.slice(-4)).toEqual(['result-made', 'agent-state-changed', 'worktree-settled', 'notice-queued']);
  expect(JSON.parse(await readFile(join(stage.folder, 'handed.json'), 'utf8'))).toMatchObject({ cwd: path });
});

it('LC-5, WT-7: in the background without a change: the notice reports that it was removed', async () => {
  const stage = await setRepository(
    script({ [TASK]: ['Looked.'], main: [[apart(TASK, { run_in_background: true })], 'Waiting.'] }),
  );
  const session = await stage.open();
  await session.send(begin());
  await session.settled();
  const [notice] = noticesIn(stage.events);
  expect(notice?.text).toContain('<worktree removed="nothing was changed in it"/>');
  nothingLeft(stage);
});

it('WT-8: its descendants work in it too and keep it; one that asks for its own gets another, made from there', async () => {
  const late = gate();
  const stage = await setRepository(
    script({
      'TASK child': [
        [bash('echo parent > own.txt; git add own.txt; git commit -qm own')],
        [agentCall('TASK shared', { run_in_background: true }), apart('TASK another')],
        'Child done.',
      ],
      'TASK shared': [
        async () => {
          await late.opened;
          return [bash('pwd')];
        },
        'Shared done.',
      ],
      'TASK another': [[bash('pwd; cat own.txt')], 'Another done.'],
      main: [[apart('TASK child')], 'End.'],
    }),
  );
  const session = await stage.open({ ...BASH, interactive: true });
  await session.send(begin());
  const [child, shared, another] = ['TASK child', 'TASK shared', 'TASK another'].map((prompt) => {
    const id = eventsOf(stage, 'agent-spawned').find(({ description }) => description === prompt);
    return id?.worktree;
  });
  expect(shared).toEqual(child);
  expect(another?.path).not.toBe(child?.path);
  expect(another?.from).toBe(child?.path);
  // Beside each other, never inside.
  expect(join(another?.path ?? '', '..')).toBe(join(child?.path ?? '', '..'));
  expect(resultsIn(requestOf(stage.sim, 'TASK another', 2))[0]?.text).toBe(`${another?.path}\nparent`);
  const outcomes = () => eventsOf(stage, 'worktree-settled').map(({ outcome }) => outcome);
  expect(outcomes()).toEqual(['removed', 'in-use']);
  expect(stage.git(['worktree', 'list', '--porcelain'])).toContain('locked coppice: ');
  late.open();
  await session.settled();
  expect(resultsIn(requestOf(stage.sim, 'TASK shared', 2))[0]?.text).toBe(child?.path);
  expect(saidIn(requestOf(stage.sim, 'TASK shared'))).toContain(`Working folder: ${child?.path}\n`);
  expect(outcomes()).toEqual(['removed', 'in-use', 'kept']);
  expect(stage.git(['worktree', 'list', '--porcelain'])).not.toContain('locked');
});

it('WT-1: it is made last: what is refused for another reason makes none', async () => {
  const stage = await setRepository(script({ main: [[apart(TASK, { max_usd: 0.0000001 })], 'End.'], [TASK]: ['?'] }));
  await (await stage.open()).send(begin());
  expect(mainResults(stage)[0]?.text).toContain('budget');
  expect(existsSync(join(stage.folder, '.claude'))).toBe(false);
  nothingLeft(stage);
});

it('WT-14, DU-3: its record can’t be saved: nothing is started, and the worktree is gone again', async () => {
  const stage = await setRepository(script({ main: [[apart(TASK)], 'End.'], [TASK]: ['?'] }));
  const host = failingHost(fastHost(stage.folder, stage.env), { write: (path) => path.includes('/subagents/') });
  const session = await stage.open({ host });
  await session.send(begin());
  expect(mainResults(stage)[0]).toMatchObject({ isError: true });
  expect(requestsOf(stage.sim, TASK)).toEqual([]);
  nothingLeft(stage);
});

it('WT-5, LC-2: an interruption while it is being made: nothing is started, nothing is left, others did not wait', async () => {
  const stage = await setRepository(
    script({
      main: [[apart(TASK), agentCall('TASK beta')], 'End.'],
      [TASK]: ['?'],
      'TASK beta': ['Beta is quick.'],
    }),
  );
  const stuck = gate();
  const base = fastHost(stage.folder, stage.env);
  const hold: typeof base = {
    ...base,
    at: () => hold,
    processes: {
      ...base.processes,
      run: async (command) => {
        if (command.args[0] === 'read-tree') {
          stuck.open();
          await new Promise<void>((resolve) => command.signal?.addEventListener('abort', () => resolve()));
        }
        return base.processes.run(command);
      },
    },
  };
  const session = await stage.open({ host: hold });
  const sent = session.send(begin());
  await stuck.opened;
  await until(() => requestsOf(stage.sim, 'TASK beta').length > 0, 'the other one works');
  session.interrupt();
  expect(await sent).toMatchObject({ reason: 'interrupted' });
  await session.close();
  expect(eventsOf(stage, 'agent-spawned').map(({ description }) => description)).toEqual(['TASK beta']);
  nothingLeft(stage);
  const records = await readdir(join(stage.folder, '.git', 'coppice', 'worktrees')).catch(() => []);
  expect(records).toEqual([]);
});

it('WT-8, LC-6: leaving the session keeps the worktrees of running agents and gives all locks back', async () => {
  const stage = await setRepository(
    script({
      main: [[apart(TASK, { run_in_background: true })], 'Waiting.'],
      [TASK]: [() => new Promise<string>(() => {})],
    }),
  );
  const session = await stage.open();
  await session.send(begin());
  await until(() => requestsOf(stage.sim, TASK).length > 0);
  await session.close();
  const { path, name } = worktreeOf(stage);
  expect(listedWorktrees(stage)).toEqual([path]);
  expect(stage.git(['worktree', 'list', '--porcelain'])).not.toContain('locked');
  expect(await readdir(join(stage.folder, '.git', 'coppice', 'worktrees'))).toEqual([`${name}.json`]);
  expect(eventsOf(stage, 'worktree-settled')).toEqual([]);
});

it('WT-4: in a folder below the top it works in the same one there; a further folder inside moves with it, one around it does not', async () => {
  const stage = await setRepository(script({ main: [[apart(TASK)], 'End.'], [TASK]: [[bash('pwd')], 'Done.'] }), {
    'app/a.txt': 'a',
    'lib/b.txt': 'b',
  });
  const cwd = join(stage.folder, 'app');
  const addDirs = [join(stage.folder, 'lib'), join(stage.folder, '..'), stage.home];
  await (await stage.open({ ...BASH, cwd, addDirs })).send(begin());
  const [spawned] = eventsOf(stage, 'agent-spawned');
  const { path } = worktreeOf(stage);
  expect(spawned?.cwd).toBe(join(path, 'app'));
  expect(spawned?.roots).toEqual([join(path, 'app'), join(path, 'lib'), stage.home]);
  expect(resultsIn(requestOf(stage.sim, TASK, 2))[0]?.text).toBe(join(path, 'app'));
});

it('AG-19: Explore in a worktree: nothing about it if nothing was changed', async () => {
  const stage = await setRepository(
    script({ main: [[agentCall(TASK, { subagent_type: 'looker' })], 'End.'], [TASK]: ['Seen.'] }),
  );
  const fields = { name: 'looker', description: 'd', isolation: 'worktree', oneShot: true };
  await stage.write(inProject('looker'), agentFile(fields, 'Look.'));
  await (await stage.open({ trust: true })).send(begin());
  expect(mainResults(stage)[0]?.text).toBe('Seen.');
});
