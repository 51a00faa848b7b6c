/** Plan mode: nothing is written, by no tool, agent, hook or rule, save the file of the plan (EX-4). */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { link, mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../../src/front/sdk/define-tool.js';
import { smallServer } from '../../support/mcp/small-server.js';
import { expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import {
  agentCall,
  agentFile,
  begin,
  inProject,
  type Line,
  mainResults,
  requestOf,
  resultsIn,
  script,
} from '../agents/agents-script.js';
import { answering, bash, exitPlan, inFolder, isThere, planFile, readPlan, write, YES } from './plan-stage.js';

/** The firmest yes there is: rules, hooks, and a user who allows everything. */
const OPEN = {
  permissionMode: 'plan',
  trust: true,
  hooks: YES,
  allowedTools: ['Bash', 'Write', 'Edit', 'NotebookEdit', 'Agent', 'mcp__shop'],
  onPermission: async () => ({ behavior: 'allow' }),
} as const;

const edit = (path: string) => ({ tool: 'Edit', input: { file_path: path, old_string: 'a', new_string: 'b' } });
const cell = (path: string) => ({ tool: 'NotebookEdit', input: { notebook_path: path, new_source: 'x' } });
const NOTEBOOK = { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 };

async function filled(): Promise<Stage> {
  const stage = await setStage();
  await stage.write('a.txt', 'a');
  await stage.write('a.ipynb', JSON.stringify(NOTEBOOK));
  return stage;
}

/** Nothing of the project has changed. */
async function expectUntouched(stage: Stage): Promise<void> {
  expect(await stage.read('a.txt')).toBe('a');
  expect(await stage.read('a.ipynb')).toBe(JSON.stringify(NOTEBOOK));
  expect(isThere(stage, 'made')).toBe(false);
}

const changes = (stage: Stage) => [
  write(inFolder(stage, 'made')),
  edit(inFolder(stage, 'a.txt')),
  cell(inFolder(stage, 'a.ipynb')),
  bash('touch made'),
  bash('echo x > made'),
  { tool: 'Bash', input: { command: 'touch made', run_in_background: true } },
  { tool: 'Bash', input: { command: 'sh -c "touch made"', unconfined: true } },
  // Reading outside the folders asks, which is no way to a change.
  bash('cat /etc/hostname; touch made'),
  bash('cd /tmp && cat /etc/hostname && touch made'),
];

describe('EX-4: nothing is written', () => {
  it('EX-4: by no tool, whatever rules, hooks and the user allow', async () => {
    const stage = await filled();
    stage.sim.use(script({ main: [changes(stage), 'done'] }));
    const session = await stage.open(OPEN as never);
    await session.send(begin());
    expectAllAccepted(stage.sim);
    expect(mainResults(stage).map(({ isError }) => isError)).toEqual(changes(stage).map(() => true));
    await session.settled();
    await expectUntouched(stage);
  });

  it("EX-4: by no input that a hook makes of a call, or the user's program of a question", async () => {
    const stage = await filled();
    const rewritten = { command: 'touch made' };
    const hooks = {
      PreToolUse: [
        {
          hooks: [
            () => ({
              hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput: rewritten },
            }),
          ],
        },
      ],
    };
    stage.sim.use(script({ main: [[bash('ls')], 'done'] }));
    const session = await stage.open({ ...OPEN, hooks } as never);
    await session.send(begin());
    expect(mainResults(stage)[0]).toMatchObject({ isError: true });
    const asked = await filled();
    asked.sim.use(script({ main: [[bash('cat /etc/hostname')], 'done'] }));
    const other = await asked.open({
      permissionMode: 'plan',
      onPermission: async () => ({ behavior: 'allow', updatedInput: rewritten }),
    });
    await other.send(begin());
    await expectUntouched(stage);
    await expectUntouched(asked);
  });

  it('EX-4: by no agent: named, in bypassPermissions, a fork, in the background, one below another', async () => {
    const stage = await filled();
    const worker = { name: 'worker', description: 'd', permissionMode: 'bypassPermissions' };
    await stage.write(inProject('worker'), agentFile(worker, 'You work.'));
    stage.sim.use(
      script({
        main: [
          'ready',
          [
            agentCall('NAMED', { subagent_type: 'worker' }),
            agentCall('FORKED', { fork: true }),
            agentCall('BEHIND', { subagent_type: 'worker', run_in_background: true }),
            agentCall('ABOVE', {}),
          ],
          'done',
        ],
        NAMED: [changes(stage), 'tried'],
        FORKED: [changes(stage), 'tried'],
        BEHIND: [changes(stage), 'tried'],
        ABOVE: [[agentCall('BELOW', { subagent_type: 'worker' })], 'tried'],
        BELOW: [changes(stage), 'tried'],
      }),
    );
    const session = await stage.open({ ...OPEN, fork: 'on' } as never);
    await session.send(begin());
    await session.send('now');
    await session.settled();
    expectAllAccepted(stage.sim);
    for (const who of ['NAMED', 'FORKED', 'BEHIND', 'BELOW']) {
      const results = resultsIn(requestOf(stage.sim, who, 2));
      expect([who, results.map(({ isError }) => isError)]).toEqual([who, changes(stage).map(() => true)]);
    }
    await expectUntouched(stage);
  });

  it('EX-4: by no agent that was running, or had ended, before the user switched to plan mode', async () => {
    const stage = await filled();
    let go = () => {};
    const switched = new Promise<void>((resolve) => {
      go = resolve;
    });
    const later: Line = async () => {
      await switched;
      return [write(inFolder(stage, 'made'))];
    };
    stage.sim.use(
      script({
        main: [
          [agentCall('WORKING', { run_in_background: true, name: 'w' }), agentCall('EARLIER', { name: 'e' })],
          'started',
          [{ tool: 'SendMessage', input: { to: 'e', message: 'AGAIN' } }],
          'done',
        ],
        WORKING: [later, 'tried'],
        EARLIER: ['ended'],
        AGAIN: [[write(inFolder(stage, 'made'))], 'tried'],
      }),
    );
    const session = await stage.open({ ...OPEN, permissionMode: 'acceptEdits' } as never);
    await session.send(begin());
    await session.setMode('plan');
    go();
    await session.send('now');
    await session.settled();
    for (const who of ['WORKING', 'AGAIN']) {
      expect(resultsIn(requestOf(stage.sim, who, 2))[0]?.text).toContain('plan mode only reads');
    }
    await expectUntouched(stage);
  });

  it('EX-4: no worktree is made: a named child reads where it is, a fork with one is refused', async () => {
    const stage = await filled();
    const git = (...args: string[]) => execFileSync('git', args, { cwd: stage.folder, encoding: 'utf8' });
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('-c', 'user.name=A', '-c', 'user.email=a@b.c', 'commit', '-qm', 'one');
    const before = git('for-each-ref') + git('worktree', 'list');
    await stage.write(inProject('worker'), agentFile({ name: 'worker', description: 'd', isolation: 'worktree' }, 'W'));
    stage.sim.use(
      script({
        main: [
          'ready',
          [
            agentCall('NAMED', { subagent_type: 'worker' }),
            agentCall('ISOLATED', { isolation: 'worktree' }),
            agentCall('FORKED', { fork: true, isolation: 'worktree' }),
          ],
          'done',
        ],
        NAMED: [[bash('git commit -qm two --allow-empty')], 'tried'],
        ISOLATED: ['read'],
      }),
    );
    const session = await stage.open({ ...OPEN, fork: 'on' } as never);
    await session.send(begin());
    await session.send('now');
    expectAllAccepted(stage.sim);
    expect(mainResults(stage, 3).map(({ isError }) => isError)).toEqual([false, false, true]);
    expect(mainResults(stage, 3)[2]?.text).toContain('a worktree changes the repository: nothing was started');
    expect(git('for-each-ref') + git('worktree', 'list')).toBe(before);
  });

  it('EX-4: a tool of a server runs only with a word of the user, not of a rule or a hook; tools of the embedder only if they read', async () => {
    const stage = await filled();
    const log = join(stage.folder, 'log');
    await stage.settings({ mcpServers: { shop: smallServer({ tools: [{ name: 'look' }], log }) } });
    let ran = 0;
    const custom = defineTool({
      name: 'Change',
      description: 'changes',
      schema: z.object({}),
      run: async () => {
        ran += 1;
        return 'changed';
      },
    });
    stage.sim.use(
      script({
        main: [
          [
            { tool: 'mcp__shop__look', input: {} },
            { tool: 'Change', input: {} },
          ],
          'done',
        ],
      }),
    );
    const { onPermission: _, ...nobody } = OPEN;
    const session = await stage.open({ ...nobody, tools: [custom] } as never);
    await session.send(begin());
    expect(mainResults(stage).map(({ isError }) => isError)).toEqual([true, true]);
    expect([ran, /tools\/call/.test(await readFile(log, 'utf8'))]).toEqual([0, false]);
  });
});

describe('EX-4: the file of the plan', () => {
  it('EX-4: the main agent writes, edits and reads it unasked, and nothing next to it', async () => {
    const { questions, onPermission } = answering({ behavior: 'allow' });
    const stage = await setStage();
    const session = await stage.open({ permissionMode: 'plan', onPermission });
    const file = planFile(session.transcript);
    const other = join(dirname(file), 'other.md');
    stage.sim.use(
      script({
        main: [
          [
            write(file, 'a plan'),
            { tool: 'Edit', input: { file_path: file, old_string: 'a plan', new_string: 'the plan' } },
          ],
          [write(other), write(`${file}.bak`), bash(`echo x > ${file}`), { tool: 'Read', input: { file_path: file } }],
          'done',
        ],
      }),
    );
    await session.send(begin());
    expectAllAccepted(stage.sim);
    expect(mainResults(stage, 2).map(({ isError }) => isError)).toEqual([false, false]);
    expect(mainResults(stage, 3).map(({ isError }) => isError)).toEqual([true, true, true, false]);
    expect([questions.length, await readPlan(session.transcript), existsSync(other)]).toEqual([0, 'the plan', false]);
    // Outside plan mode it can be read, and its change is asked about.
    stage.sim.use(script({ main: [[{ tool: 'Read', input: { file_path: file } }, write(file, 'new')], 'done'] }));
    await session.setMode('acceptEdits');
    await session.send('more');
    expect(questions.map(({ call }) => call.tool)).toEqual(['Write']);
  });

  it('EX-4: no child and no fork writes it', async () => {
    const stage = await setStage();
    const session = await stage.open({
      permissionMode: 'plan',
      fork: 'on',
      onPermission: async () => ({ behavior: 'allow' }),
    });
    const file = planFile(session.transcript);
    stage.sim.use(
      script({
        main: ['ready', [agentCall('NAMED'), agentCall('FORKED', { fork: true })], 'done'],
        NAMED: [[write(file)], 'tried'],
        FORKED: [[write(file)], 'tried'],
      }),
    );
    await session.send(begin());
    await session.send('now');
    for (const who of ['NAMED', 'FORKED']) expect(resultsIn(requestOf(stage.sim, who, 2))[0]?.isError).toBe(true);
    expect(existsSync(file)).toBe(false);
  });

  it('EX-4: a link in its place, a hard link, or another name of it is not it', async () => {
    const stage = await filled();
    const session = await stage.open({ permissionMode: 'plan', onPermission: async () => ({ behavior: 'allow' }) });
    const file = planFile(session.transcript);
    await mkdir(dirname(file), { recursive: true });
    await symlink(inFolder(stage, 'a.txt'), file);
    await symlink(file, inFolder(stage, 'name'));
    stage.sim.use(script({ main: [[write(file), write(inFolder(stage, 'name'))], 'done'] }));
    await session.send(begin());
    expect(mainResults(stage).map(({ isError }) => isError)).toEqual([true, true]);
    const hard = await filled();
    const second = await hard.open({ permissionMode: 'plan', onPermission: async () => ({ behavior: 'allow' }) });
    await mkdir(dirname(planFile(second.transcript)), { recursive: true });
    await link(inFolder(hard, 'a.txt'), planFile(second.transcript));
    hard.sim.use(script({ main: [[write(planFile(second.transcript))], 'done'] }));
    await second.send(begin());
    expect(mainResults(hard)[0]?.isError).toBe(true);
    for (const one of [stage, hard]) expect(await one.read('a.txt')).toBe('a');
  });

  it('EX-4: an accepted plan takes the place of a link there, and follows it nowhere', async () => {
    const stage = await filled();
    const { onPermission } = answering({ behavior: 'allow' });
    const session = await stage.open({ permissionMode: 'plan', onPermission });
    const file = planFile(session.transcript);
    await mkdir(dirname(file), { recursive: true });
    await symlink(inFolder(stage, 'a.txt'), file);
    stage.sim.use(script({ main: [[exitPlan('new')], 'done'] }));
    await session.send(begin());
    expect([await stage.read('a.txt'), await readFile(file, 'utf8')]).toEqual(['a', 'new\n']);
  });

  it('EX-4: where our own folder is reached by a link, the path that is reported is the one that applies', async () => {
    const stage = await setStage();
    const link = join(stage.home, 'linked');
    await symlink(join(stage.home, '.coppice'), link);
    const session = await stage.open({ permissionMode: 'plan', env: { ...stage.env, COPPICE_HOME: link } });
    const told = /you may write is (\S+):/;
    stage.sim.use(
      script({ main: [(request) => [write(told.exec(request.said.join('\n'))?.[1] ?? 'none', 'a plan')], 'done'] }),
    );
    await session.send(begin());
    expect(mainResults(stage)[0]?.isError).toBe(false);
    expect(await readPlan(session.transcript)).toBe('a plan');
  });
});

it('EX-15 AG-13: only the main agent ends plan mode: a fork is refused unasked, other children have no such tools', async () => {
  const { questions, onPermission } = answering({ behavior: 'allow' });
  const stage = await setStage();
  stage.sim.use(
    script({
      main: ['ready', [agentCall('NAMED'), agentCall('FORKED', { fork: true })], 'done'],
      NAMED: [[exitPlan('x')], 'tried'],
      FORKED: [[exitPlan('x')], 'tried'],
    }),
  );
  const session = await stage.open({ permissionMode: 'plan', fork: 'on', onPermission });
  await session.send(begin());
  await session.send('now');
  expect(questions).toEqual([]);
  expect(session.mode).toBe('plan');
  const tools = (who: string) => (requestOf(stage.sim, who).body.tools ?? []).map(({ name }) => name);
  expect(tools('NAMED').filter((name) => /Plan|AskUser/.test(name))).toEqual([]);
  expect(tools('FORKED')).toEqual(expect.arrayContaining(['ExitPlanMode', 'AskUserQuestion']));
  expect(resultsIn(requestOf(stage.sim, 'FORKED', 2))[0]).toEqual({
    isError: true,
    text: 'Permission denied: only the main agent ends plan mode; report your plan. Nothing was shown to the person, and nothing was decided.',
  });
});
