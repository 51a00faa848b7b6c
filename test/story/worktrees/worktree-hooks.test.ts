/** Hooks and worktrees: those that make and remove them, and where hooks of an agent in one run. */

import { existsSync } from 'node:fs';
import { readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { SeenRequest } from '../../../src/sim/index.js';
import { eventsOf, expectAllAccepted } from '../../support/story.js';
import { begin, mainResults, requestOf, resultsIn, saidIn, script } from '../agents/agents-script.js';
import { apart, BASH, bash, places, run, scriptStage, TASK } from './worktree-hooks-stage.js';
import { listedWorktrees, setRepository, worktreeOf } from './worktree-stage.js';

/** A project hook before each Bash call that writes where it runs, and what the project's folder is. */
const HOOK = 'echo "$PWD $CLAUDE_PROJECT_DIR" >> "$HOME/places.txt"';

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

it('WT-11: WorktreeRemove hooks run before git removes one', async () => {
  const stage = await setRepository(script({ [TASK]: ['Done.'], main: [[apart()], 'End.'] }));
  const note = `cat > "${stage.home}/told.json"; ls .claude/worktrees > "${stage.home}/there.txt"`;
  await stage.settings({ hooks: { WorktreeRemove: run(note) } });
  await (await stage.open()).send(begin());
  const { path, name } = worktreeOf(stage);
  expect(JSON.parse(await readFile(join(stage.home, 'told.json'), 'utf8'))).toMatchObject({ worktree_path: path });
  expect(await readFile(join(stage.home, 'there.txt'), 'utf8')).toBe(`${name}\n`);
  expect(listedWorktrees(stage)).toEqual([]);
});

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

it('GT-3, GT-14: a hook’s script that is committed runs in the worktree', async () => {
  const stage = await scriptStage(true, [[bash('echo one')], 'Done.']);
  expect(await places(stage.home)).toEqual([worktreeOf(stage).path]);
  expect(resultsIn(requestOf(stage.sim, TASK, 2))[0]?.text).toBe('one');
});
