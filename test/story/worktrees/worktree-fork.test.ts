/** Forks in worktrees: the bytes they share with their parent, and what follows them. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SimRequest } from '../../../src/sim/index.js';
import { eventsOf, expectAllAccepted, readingTool } from '../../support/story.js';
import { comparable } from '../../support/wire-body.js';
import { agentCall, begin, mainResults, requestOf, resultsIn, saidIn, script } from '../agents/agents-script.js';
import { expectIdentity, forkRequests, messagesOf, parentRequests } from '../fork/fork-check.js';
import { setRepository, worktreeOf } from './worktree-stage.js';

const fork = (n: number | string, more: object = {}) => agentCall(`DIRECTIVE ${n} go`, { fork: true, ...more });

const apart = { isolation: 'worktree' };

const bash = (command: string) => ({ tool: 'Bash', input: { command } });

describe.each(['all', 'own'] as const)('siblings %s', (siblings) => {
  it('WT-13, FK-22, FK-8: with and without a worktree, forks of one reply share their parent’s bytes', async () => {
    const stage = await setRepository(
      script({
        'DIRECTIVE 1': ['Scope: one'],
        'DIRECTIVE 2': ['Scope: two'],
        'DIRECTIVE 3': ['Scope: three'],
        main: [['Look:', bash('echo hi')], ['Go.', fork(1), fork(2, apart), fork(3, apart)], 'end'],
      }),
    );
    await stage.settings({ fork: { siblings } });
    await (await stage.open({ fork: 'on', allowedTools: ['Bash'] })).send(begin());
    expectAllAccepted(stage.sim);
    const first = stage.sim.requests.findIndex(({ raw }) => raw.includes('You are a forked worker'));
    const parent = parentRequests(stage.sim)
      .filter(({ index }) => index < first)
      .at(-1) as SimRequest;
    expectIdentity(stage.sim, parent, 3, 1, siblings);
    const [one, two] = ['DIRECTIVE 1', 'DIRECTIVE 2'].map((name) => forkRequests(stage.sim).get(name)?.[0]);
    expect(ownTexts(one)).toHaveLength(1);
    const [directive, notice, ...more] = ownTexts(two);
    expect(more).toEqual([]);
    expect(directive).toMatch(/^<fork-boilerplate>/);
    expect(directive).toContain('commit them here, on the branch you are on, and give the hash');
    expect(ownTexts(one)[0]).toContain('You share the checkout with your parent');
    expect(notice).toMatch(/^<system-reminder>/);
    // Up to its directive, the one in a worktree differs in nothing.
    if (siblings === 'all') expect(untilDirective(two)).toBe(untilDirective(one));
  });
});

it('FK-22, WT-2: the notice: whose paths those above are, where it works, what is here of the uncommitted changes', async () => {
  const stage = await setRepository(
    script({
      'DIRECTIVE 1': [[bash('pwd; cat a.txt new.txt; echo three > a.txt; git commit -qam mine')], 'Scope: done'],
      main: ['hello', [fork(1, apart)], 'end'],
    }),
  );
  const session = await stage.open({ fork: 'on', allowedTools: ['Bash'] });
  await session.send(begin());
  await writeFile(join(stage.folder, 'a.txt'), 'two\n');
  await writeFile(join(stage.folder, 'new.txt'), 'untracked\n');
  await session.send('now');
  const { path, branch } = worktreeOf(stage);
  const [, notice = ''] = ownTexts(forkRequests(stage.sim).get('DIRECTIVE 1')?.[0]);
  expect(notice).toContain(`What the conversation above says about files is about ${stage.folder}.`);
  expect(notice).toContain(`its root is ${path}, on branch ${branch}.`);
  expect(notice).toContain(`Translate paths: ${stage.folder}/x above is ${path}/x here.`);
  expect(notice).toContain('Read a file here before you edit it.');
  expect(notice).toContain("Your edits here don't touch your parent's files");
  expect(notice).toContain("Your parent's uncommitted changes are here");
  expect(notice).toContain(`commit them on the branch you are on (${branch})`);
  expect(resultsIn(requestOf(stage.sim, 'DIRECTIVE 1', 2))[0]?.text).toBe(`${path}\ntwo\nuntracked`);
  expect(await readFile(join(stage.folder, 'a.txt'), 'utf8')).toBe('two\n');
  expect(mainResults(stage, 3)[0]?.text).toContain(`worktree: ${path} (branch ${branch}), kept: `);
});

it('WT-13, FK-18: what its parent has read is ignored in its own checkout', async () => {
  const edit = (path: string) => ({
    tool: 'Edit',
    input: { file_path: path, old_string: 'one', new_string: 'two' },
  });
  const stage = await setRepository(
    script({
      'DIRECTIVE 1': [
        [edit('a.txt')],
        [{ tool: 'Read', input: { file_path: 'a.txt' } }],
        [edit('a.txt')],
        'Scope: done',
      ],
      main: [[{ tool: 'Read', input: { file_path: 'a.txt' } }], [fork(1, apart)], 'end'],
    }),
  );
  await (await stage.open({ fork: 'on', permissionMode: 'acceptEdits' })).send(begin());
  expect(resultsIn(requestOf(stage.sim, 'DIRECTIVE 1', 2))[0]).toMatchObject({ isError: true });
  expect(resultsIn(requestOf(stage.sim, 'DIRECTIVE 1', 4))[0]).toMatchObject({ isError: false });
  expect(await readFile(join(stage.folder, 'a.txt'), 'utf8')).toBe('one\n');
  expect(await readFile(join(worktreeOf(stage).path, 'a.txt'), 'utf8')).toBe('two\n');
});

it('FK-22: instructions its parent was given are not given to it again; those only it has met are', async () => {
  const read = (path: string) => ({ tool: 'Read', input: { file_path: path } });
  const stage = await setRepository(
    script({
      'DIRECTIVE 1': [[read('sub/a.txt')], [read('other/a.txt')], 'Scope: done'],
      main: [[read('sub/a.txt')], [fork(1, apart)], 'end'],
    }),
    { 'sub/CLAUDE.md': 'SUB WORDS', 'sub/a.txt': 'a', 'other/CLAUDE.md': 'OTHER WORDS', 'other/a.txt': 'a' },
  );
  await (await stage.open({ fork: 'on' })).send(begin());
  const last = JSON.stringify(requestOf(stage.sim, 'DIRECTIVE 1', 3).body.messages);
  expect(last.split('SUB WORDS')).toHaveLength(2);
  expect(last).toContain(`## From ${worktreeOf(stage).path}/other/CLAUDE.md`);
});

it('FK-24, WT-13: by hand, with isolation, from the library', async () => {
  const stage = await setRepository(script({ 'DIRECTIVE 1': [[bash('touch made')], 'Scope: done'], main: ['hello'] }));
  const session = await stage.open({ fork: 'on', allowedTools: ['Bash'] });
  await session.send(begin());
  const result = await session.fork('DIRECTIVE 1 go', { isolation: 'worktree' });
  const { path, branch } = worktreeOf(stage);
  expect(result).toMatchObject({ status: 'completed', worktree: { path, branch, why: 'kept: untracked: made' } });
});

it('FK-22, LC-24: after a compaction a fork in a worktree still knows where it works', async () => {
  const model = 'claude-opus-5-5';
  const big = readingTool('Big', async () => 'word '.repeat(900));
  const stage = await setRepository(
    [
      { when: { user: '<compaction>' }, reply: '## Next\ngo on' },
      ...script({
        main: [[fork(1, apart)], 'ok'],
        'DIRECTIVE 1': [...Array.from({ length: 7 }, () => [{ tool: 'Big', input: {} }])],
        'conversation-summary': ['Scope: done'],
      }),
    ],
    { 'a.txt': 'one\n' },
    { models: { [model]: { contextTokens: 14_000 } } },
  );
  await stage.settings({ models: { [model]: { context: 14_000, maxOutput: 1_000 } } });
  await (await stage.open({ fork: 'on', tools: [big] })).send(begin());
  expect(eventsOf(stage, 'history-compacted').length).toBeGreaterThan(0);
  const { path, branch } = worktreeOf(stage);
  const after = saidIn(requestOf(stage.sim, 'conversation-summary'));
  expect(after).toContain(`Working folder: ${stage.folder}\n`);
  expect(after).toContain(
    `You do not work in ${stage.folder}, the folder named above: your working folder is ${path}, in the worktree ${path} on branch ${branch}, which is your own.`,
  );
});

/** The texts of the message a fork starts with, after the placeholders. */
function ownTexts(request: SimRequest | undefined): string[] {
  const last = request && messagesOf(request).at(-1);
  return (last?.content ?? []).flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : []));
}

function untilDirective(request: SimRequest | undefined): string {
  const body = request === undefined ? '' : comparable(request);
  return body.slice(0, body.lastIndexOf('<fork-boilerplate>'));
}
