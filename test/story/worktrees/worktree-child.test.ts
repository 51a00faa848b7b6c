/** A named child in a worktree: where it works, what it knows, what its parent hears. */

import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agentTranscript } from '../../support/session-files.js';
import { eventsOf, expectAllAccepted, readTranscript } from '../../support/story.js';
import {
  agentCall,
  agentFile,
  begin,
  declared,
  inProject,
  mainResults,
  requestOf,
  resultsIn,
  saidIn,
  script,
} from '../agents/agents-script.js';
import { branchesOf, listedWorktrees, setRepository, worktreeOf } from './worktree-stage.js';

const TASK = 'TASK alpha';

const isolated = (prompt = TASK, more: object = {}) => agentCall(prompt, { isolation: 'worktree', ...more });

const bash = (command: string) => ({ tool: 'Bash', input: { command } });

it('WT-1, WT-4, WT-7: it works in its own checkout; with changes it is kept, and the result names path and branch', async () => {
  const stage = await setRepository(
    script({
      main: [[isolated()], 'Done.'],
      [TASK]: [[bash('pwd; echo more > b.txt; git add -A; git commit -q -m work; git status --short')], 'Worked.'],
    }),
  );
  const session = await stage.open({ allowedTools: ['Bash'] });
  const cwd = process.cwd();
  expect(await session.send(begin())).toMatchObject({ text: 'Done.' });
  expectAllAccepted(stage.sim);
  const [spawned] = eventsOf(stage, 'agent-spawned');
  const id = spawned?.agent ?? '';
  const path = join(stage.git(['rev-parse', '--show-toplevel']), '.claude', 'worktrees', `agent-${id.slice(0, 8)}`);
  const branch = `worktree-agent-${id.slice(0, 8)}`;
  expect(spawned).toMatchObject({ cwd: path, roots: [path], worktree: { path, branch, from: stage.folder } });
  expect(resultsIn(requestOf(stage.sim, TASK, 2))[0]?.text.trim()).toBe(path);
  expect(process.cwd()).toBe(cwd);
  expect(existsSync(join(stage.folder, 'b.txt'))).toBe(false);
  expect(await readFile(join(path, 'b.txt'), 'utf8')).toBe('more\n');
  const [result] = mainResults(stage);
  expect(result?.text).toContain(`worktree: ${path} (branch ${branch}), kept: `);
  expect(stage.git(['log', '--format=%s', branch])).toBe('work\nfirst');
  await session.close();
  expect(stage.git(['worktree', 'list', '--porcelain'])).not.toContain('locked');
});

it('WT-7, LC-5: nothing changed: it is removed, with its branch, and the result does not name it; that is on record after the state', async () => {
  const stage = await setRepository(
    script({ main: [[isolated()], 'Done.'], [TASK]: [[{ tool: 'Read', input: { file_path: 'a.txt' } }], 'Read.'] }),
  );
  const session = await stage.open();
  await session.send(begin());
  expectAllAccepted(stage.sim);
  expect(listedWorktrees(stage)).toEqual([]);
  expect(branchesOf(stage)).toEqual(['main']);
  expect(existsSync(worktreeOf(stage).path)).toBe(false);
  const [result] = mainResults(stage);
  expect(result?.text).toContain('Read.');
  expect(result?.text).not.toContain('worktree');
  const id = eventsOf(stage, 'agent-spawned')[0]?.agent ?? '';
  const kinds = (await readTranscript(agentTranscript(session, id))).map(({ event }) => event.kind);
  expect(kinds.slice(-3)).toEqual(['result-made', 'agent-state-changed', 'worktree-settled']);
  expect(eventsOf(stage, 'worktree-settled')).toEqual([
    { kind: 'worktree-settled', run: 1, outcome: 'removed', reasons: [] },
  ]);
});

it('WT-2, AG-15: its opening is that of its own folder: environment, branch, instructions as committed, what is not here', async () => {
  const stage = await setRepository(script({ main: [[isolated()], 'Done.'], [TASK]: ['Nothing to do.'] }), {
    'CLAUDE.md': 'COMMITTED WORDS\n',
    'sub/CLAUDE.md': 'NESTED WORDS\n',
  });
  await writeFile(join(stage.folder, 'CLAUDE.md'), 'CHANGED WORDS\n');
  await (await stage.open()).send(begin());
  const { path, branch } = worktreeOf(stage);
  const said = saidIn(requestOf(stage.sim, TASK));
  expect(said).toContain(`Working folder: ${path}\n`);
  expect(said).toContain(`Git repository: yes, at ${path}, on branch ${branch} (a worktree of ${stage.folder})`);
  expect(said).toContain(`## From ${path}/CLAUDE.md\n\nCOMMITTED WORDS`);
  expect(said).not.toContain('CHANGED WORDS');
  expect(said).toContain("Your parent's uncommitted changes and untracked files are not here");
  expect(said).not.toContain('Further folders');
});

it('WT-2: worktree.includeDirty takes uncommitted and untracked changes along', async () => {
  const stage = await setRepository(
    script({ main: [[isolated()], 'Done.'], [TASK]: [[bash('cat a.txt new.txt')], 'Seen.'] }),
  );
  await stage.settings({ worktree: { includeDirty: true } });
  await writeFile(join(stage.folder, 'a.txt'), 'two\n');
  await writeFile(join(stage.folder, 'new.txt'), 'untracked\n');
  await (await stage.open({ allowedTools: ['Bash'] })).send(begin());
  expect(resultsIn(requestOf(stage.sim, TASK, 2))[0]?.text).toContain('two\nuntracked');
  expect(saidIn(requestOf(stage.sim, TASK))).toContain("Your parent's uncommitted changes are here");
  expect(listedWorktrees(stage)).toEqual([]);
});

it('WT-1: no git repository: a clear error, nothing started, and the name is free again', async () => {
  const stage = await setRepository(
    script({
      main: [[isolated(TASK, { name: 'al' })], [agentCall('TASK beta', { name: 'al' })], 'Done.'],
      [TASK]: ['?'],
      'TASK beta': ['Here.'],
    }),
  );
  await rm(join(stage.folder, '.git'), { recursive: true });
  await (await stage.open()).send(begin());
  const [result] = mainResults(stage);
  expect(result?.isError).toBe(true);
  expect(result?.text).toContain('is not in a git repository');
  expect(mainResults(stage, 3)[0]?.text).toContain('Here.');
});

it('WT-3: only worktree.sparsePaths are checked out; child, result and hooks are informed', async () => {
  const stage = await setRepository(
    script({
      main: [[isolated()], 'Done.'],
      [TASK]: [[bash('ls -d */; echo x > in/new.txt')], 'Sparse.'],
    }),
    { 'in/a.txt': 'a\n', 'out/b.txt': 'b\n', 'top.txt': 't\n' },
  );
  const responses: unknown[] = [];
  await stage.settings({ worktree: { sparsePaths: ['in'] } });
  const note = { matcher: 'Agent', hooks: [(input: object) => void responses.push(input)] };
  const session = await stage.open({
    allowedTools: ['Bash'],
    hooks: { PostToolUse: [note] },
  });
  await session.send(begin());
  expect(resultsIn(requestOf(stage.sim, TASK, 2))[0]?.text.trim()).toBe('in/');
  expect(saidIn(requestOf(stage.sim, TASK))).toContain('Only these paths are checked out: in.');
  expect(mainResults(stage)[0]?.text).toContain('only these paths are checked out: in');
  const { path, branch } = worktreeOf(stage);
  expect(responses).toMatchObject([
    { tool_response: { worktreePath: path, worktreeBranch: branch, usedSparsePaths: ['in'] } },
  ]);
});

it('AG-5, WT-1: a definition asks for it, the call need not; cwd does not go together with it', async () => {
  const stage = await setRepository(
    script({
      main: [[agentCall(TASK, { subagent_type: 'apart' }), agentCall('x', { subagent_type: 'apart', cwd: '/' })], 'ok'],
      [TASK]: ['Apart.'],
    }),
  );
  await stage.write(inProject('apart'), agentFile({ name: 'apart', description: 'd', isolation: 'worktree' }, 'Work.'));
  await (await stage.open({ trust: true })).send(begin());
  expect(worktreeOf(stage).path).toContain('.claude/worktrees/agent-');
  const [first, second] = mainResults(stage);
  expect(first?.text).toContain('Apart.');
  expect(second).toMatchObject({ isError: true, text: expect.stringContaining('leave `cwd` out') });
});

it('AG-1: the model is informed of isolation and when to use it', async () => {
  const stage = await setRepository(script({ main: ['ok'] }));
  await (await stage.open()).send(begin());
  const { description, properties } = declared(stage.sim.requests[0] as never, 'Agent');
  expect(properties).toMatchObject({ isolation: { enum: ['worktree'] } });
  expect(description).toContain('With isolation: "worktree"');
});
