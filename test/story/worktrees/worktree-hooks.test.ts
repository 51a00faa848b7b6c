/** Hooks and worktrees: those that make and remove them, and where hooks of an agent in one run. */

import { existsSync } from 'node:fs';
import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { SeenRequest } from '../../../src/sim/index.js';
import { eventsOf, expectAllAccepted } from '../../support/story.js';
import {
  agentCall,
  begin,
  mainResults,
  requestOf,
  requestsOf,
  resultsIn,
  saidIn,
  script,
} from '../agents/agents-script.js';
import { listedWorktrees, setRepository, worktreeOf } from './worktree-stage.js';

const TASK = 'TASK alpha';
const apart = (more: object = {}) => agentCall(TASK, { isolation: 'worktree', description: 'a part', ...more });
const bash = (command: string) => ({ tool: 'Bash', input: { command } });
const BASH = { allowedTools: ['Bash'] };
const run = (command: string) => [{ hooks: [{ type: 'command', command }] }];

it('WT-11: where there is no git at all, a WorktreeCreate hook makes it; it is always kept; paths and roots are there', async () => {
  const stage = await setRepository(
    script({ [TASK]: [[bash('pwd; cat copied.txt')], 'Done.'], main: [[apart()], 'End.'] }),
    { 'copied.txt': 'by the hook\n' },
  );
  await rm(join(stage.folder, '.git'), { recursive: true });
  const place = join(stage.home, 'trees');
  const make = `cat > "${stage.home}/asked.json"; mkdir -p ${place}/one; cp copied.txt ${place}/one; echo ${place}/one`;
  await stage.settings({ hooks: { WorktreeCreate: run(make) } });
  const session = await stage.open(BASH);
  await session.send(begin());
  expectAllAccepted(stage.sim);
  const path = await realpath(join(place, 'one'));
  const [spawned] = eventsOf(stage, 'agent-spawned');
  const name = `agent-${spawned?.agent.slice(0, 8)}`;
  expect(spawned).toMatchObject({ cwd: path, roots: [path], worktree: { name, path, branch: '', from: stage.folder } });
  expect(JSON.parse(await readFile(join(stage.home, 'asked.json'), 'utf8'))).toMatchObject({
    hook_event_name: 'WorktreeCreate',
    name,
    cwd: stage.folder,
  });
  expect(resultsIn(requestOf(stage.sim, TASK, 2))[0]?.text).toBe(`${path}\nby the hook`);
  expect(saidIn(requestOf(stage.sim, TASK))).toContain('A program of the person made this folder');
  expect(mainResults(stage)[0]?.text).toContain(`worktree: ${path}, kept: a WorktreeCreate hook made it`);
  expect(existsSync(path)).toBe(true);
});

it('WT-11: in a git repository the hook replaces git', async () => {
  const stage = await setRepository(script({ [TASK]: ['Done.'], main: [[apart()], 'End.'] }));
  const place = join(stage.home, 'other');
  await stage.settings({ hooks: { WorktreeCreate: run(`mkdir -p ${place}; echo ${place}`) } });
  await (await stage.open(BASH)).send(begin());
  expect(listedWorktrees(stage)).toEqual([]);
  expect(worktreeOf(stage)).toMatchObject({ path: await realpath(place), branch: '' });
  const { name } = worktreeOf(stage);
  const record = join(stage.folder, '.git', 'coppice', 'worktrees', `${name}.json`);
  expect(JSON.parse(await readFile(record, 'utf8'))).toMatchObject({ madeBy: 'hook', stage: 'made', name });
  expect(existsSync(record.replace(/json$/, 'lock'))).toBe(false);
});

it.each([
  ['fails', 'echo "no room left" >&2; exit 1', 'no room left'],
  ['blocks', 'echo "not on Sundays" >&2; exit 2', 'not on Sundays'],
  ['prints nothing', 'true', 'printed no path'],
  ['prints a relative path', 'echo some/where', 'is not absolute'],
  ['prints a path that is not there', 'echo /not/there', 'is not a folder that exists'],
  ['prints the parent’s checkout', 'pwd', 'the checkout it is to be apart from'],
  ['prints a folder around it', 'dirname "$PWD"', 'the checkout it is to be apart from'],
  ['prints a folder in it', 'mkdir -p in; echo "$PWD/in"', 'is a part of the checkout'],
  ['prints a folder of git', 'echo "$PWD/.git/objects"', 'is inside a .git folder'],
])('WT-11: a hook that %s: nothing is started, and its words are in the reason', async (_, command, words) => {
  const stage = await setRepository(script({ [TASK]: ['?'], main: [[apart({ name: 'al' })], 'End.'] }));
  await stage.settings({ hooks: { WorktreeCreate: run(command) } });
  await (await stage.open()).send(begin());
  const [result] = mainResults(stage);
  expect(result).toMatchObject({ isError: true });
  expect(result?.text).toMatch(/^Nothing was started: the WorktreeCreate hook did not make a worktree: /);
  expect(result?.text).toContain(words);
  expect(requestsOf(stage.sim, TASK)).toEqual([]);
  expect(eventsOf(stage, 'agent-spawned')).toEqual([]);
  expect(listedWorktrees(stage)).toEqual([]);
});

it('WT-11: WorktreeRemove hooks are told before git removes one', async () => {
  const stage = await setRepository(script({ [TASK]: ['Done.'], main: [[apart()], 'End.'] }));
  const note = `cat > "${stage.home}/told.json"; ls .claude/worktrees > "${stage.home}/there.txt"`;
  await stage.settings({ hooks: { WorktreeRemove: run(note) } });
  await (await stage.open()).send(begin());
  const { path, name } = worktreeOf(stage);
  expect(JSON.parse(await readFile(join(stage.home, 'told.json'), 'utf8'))).toMatchObject({ worktree_path: path });
  expect(await readFile(join(stage.home, 'there.txt'), 'utf8')).toBe(`${name}\n`);
  expect(listedWorktrees(stage)).toEqual([]);
});

/** A project hook before each Bash call that writes where it runs, and what the project's folder is. */
const HOOK = 'echo "$PWD $CLAUDE_PROJECT_DIR" >> "$HOME/places.txt"';
const places = async (home: string) => (await readFile(join(home, 'places.txt'), 'utf8')).trim().split('\n');

it('GT-14: hooks of an agent in a worktree run there, with the project as CLAUDE_PROJECT_DIR; `if` is about paths there', async () => {
  const write = (name: string) => ({ tool: 'Write', input: { file_path: name, content: 'x' } });
  const here = ({ said }: SeenRequest) => /^Working folder: (.+)$/m.exec(said.join('\n'))?.[1] ?? '';
  const stage = await setRepository(
    script({
      [TASK]: [
        (request) => [write(join(here(request), 'src/a.txt'))],
        (request) => [write(join(here(request), 'doc/a.txt'))],
        'Done.',
      ],
      main: [[write('src/b.txt')], [apart()], 'End.'],
    }),
  );
  const hooks = [{ type: 'command', command: HOOK, if: 'Write(src/**)' }];
  await stage.settings({ hooks: { PreToolUse: [{ matcher: 'Write', hooks }] } });
  await (await stage.open({ permissionMode: 'acceptEdits' })).send(begin());
  expect(await places(stage.home)).toEqual([
    `${stage.folder} ${stage.folder}`,
    `${worktreeOf(stage).path} ${stage.folder}`,
  ]);
});

const SCRIPT = '#!/bin/sh\necho "$PWD" >> "$HOME/places.txt"\n';

async function scriptStage(isCommitted: boolean, child: readonly unknown[]) {
  const own = { 'a.txt': 'a', ...(isCommitted ? { 'hooks/look.sh': SCRIPT } : {}) };
  const stage = await setRepository(script({ [TASK]: child as never[], main: [[apart()], 'End.'] }), own);
  await stage.write('hooks/look.sh', SCRIPT);
  await mkdir(join(stage.folder, '.claude'), { recursive: true });
  const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'sh hooks/look.sh' }] }] };
  await writeFile(join(stage.folder, '.claude', 'settings.json'), JSON.stringify({ hooks }));
  await (await stage.open({ ...BASH, trust: true })).send(begin());
  return stage;
}

it('GT-3, GT-14: a hook’s script that is committed runs in the worktree', async () => {
  const stage = await scriptStage(true, [[bash('echo one')], 'Done.']);
  expect(await places(stage.home)).toEqual([worktreeOf(stage).path]);
  expect(resultsIn(requestOf(stage.sim, TASK, 2))[0]?.text).toBe('one');
});

it('GT-3, GT-14: a hook’s script that is not there, because it is not committed, runs in the project', async () => {
  const stage = await scriptStage(false, [[bash('echo one')], 'Done.']);
  expect(await places(stage.home)).toEqual([stage.folder]);
});

it('GT-3: a script that the agent changed in its worktree is not what was approved: it counts as not started', async () => {
  const change = 'echo "exit 0" > hooks/look.sh';
  const stage = await scriptStage(true, [[bash(change)], [bash('echo two')], 'Done.']);
  expect(await places(stage.home)).toHaveLength(1);
  const [second] = resultsIn(requestOf(stage.sim, TASK, 3));
  expect(second).toMatchObject({ isError: true, text: expect.stringContaining('is not what was approved') });
});
