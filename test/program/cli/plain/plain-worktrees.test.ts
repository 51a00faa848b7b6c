/** `/worktrees` and `/apply` in a line-based session: over pipes, and at a real terminal (WT-12). */

import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeRepository } from '../../../support/worktrees.js';
import { setPlainStage } from './plain-stage.js';

describe('worktrees of agents', () => {
  it('WT-12: /worktrees lists them, /apply brings one back by its agent, /worktrees remove refuses work without --discard', async () => {
    const stage = await setPlainStage([]);
    const { worktree, git } = await makeRepository(stage.folder, { f: 'one\n' });
    const { path } = await worktree('agent-1a2b3c4d', { f: 'two\n', 'n\u001b[31mw': 'new\n' });
    const screen = stage.screen();
    await screen.until(/> $/m);
    screen.type('/worktrees\r');
    await screen.until(
      /agent-1a2b3c4d {2}kept {2}branch worktree-agent-1a2b3c4d, 0 commits, 2 files changed, agent 1a2b3c4d, just now/,
    );
    screen.type('/worktrees remove agent-1a2b3c4d\r');
    await screen.until('/worktrees remove agent-1a2b3c4d --discard deletes it.');
    expect(existsSync(path)).toBe(true);
    screen.type('/apply 1a2b\r');
    await screen.until(/Applied agent-1a2b3c4d: 2 files, unstaged\.\s+changed {2}f\s+added {4}n\\u\{1b\}\[31mw/);
    await screen.until(/git restore --source=refs\/coppice\/backup\/agent-1a2b3c4d-\S+ -- :\/f/);
    expect(git('status', '--porcelain', 'f')).toBe(' M f\n');
    screen.type('/worktrees remove agent-1a2b3c4d --discard\r');
    await screen.until('Removed worktree agent-1a2b3c4d.');
    expect(existsSync(path)).toBe(false);
    screen.type('/worktrees\r');
    await screen.until('No worktrees of agents or sessions here.');
    expect(stage.sim.requests).toHaveLength(0);
  });

  it('FK-22, FK-24: /fork --worktree gives the fork its own worktree', async () => {
    const stage = await setPlainStage([
      { when: { user: '<task-notification>' }, reply: 'The fork has told me.' },
      { when: { user: 'the other way' }, reply: 'Scope: done' },
      { reply: 'Hello.' },
    ]);
    await makeRepository(stage.folder, { f: 'one\n' });
    const screen = stage.screen();
    await screen.until(/> $/m);
    screen.type('hello\r');
    await screen.until(/Hello\.\n> $/m);
    screen.type('/fork --worktree\r');
    await screen.until('Add a task for the fork');
    screen.type('/fork --worktree try it the other way\r');
    await screen.until(/The fork has told me\.\n> $/m);
    const [, fork] = stage.sim.requests.map(({ raw }) => raw.toString());
    expect(fork).toContain('# Your own worktree');
    expect(fork).not.toContain('--worktree');
  });

  it('WT-12: coppice worktree diff at a terminal shows nothing that the terminal would act on', async () => {
    const stage = await setPlainStage([]);
    const { worktree } = await makeRepository(stage.folder, { f: 'one\n' });
    await worktree('agent-1a2b3c4d', { f: 'two \u001b]0;title\u0007\u001b[2Jthree\n' });
    const screen = stage.screen(['worktree', 'diff', 'agent-1a2b3c4d']);
    expect(await screen.ended).toBe(0);
    expect(screen.text()).toContain('+two three');
    expect(screen.raw()).not.toContain('\u001b]0');
    expect(screen.raw()).not.toContain('\u001b[2J');
  });

  it('WT-12: what is missing, not given or not a repository is reported, and a conflict is shown', async () => {
    const outside = await setPlainStage([]);
    const nowhere = outside.pipe();
    for (const line of ['/worktrees', '/apply x', '/apply', '/worktrees remove', '/worktrees what']) nowhere.say(line);
    expect(await nowhere.end()).toBe(0);
    expect(nowhere.stdout()).toMatch(/ is not in a git repository \(git init makes one\)\n/);
    expect(nowhere.stdout()).toContain('Name an agent: /apply AGENT (/worktrees lists them)');
    expect(nowhere.stdout().split('Use /worktrees, /worktrees remove NAME [--discard], or /apply NAME.')).toHaveLength(
      3,
    );
    const stage = await setPlainStage([]);
    const { worktree } = await makeRepository(stage.folder, { f: 'one\n' });
    await worktree('agent-1a2b3c4d', { f: 'theirs\n' });
    await stage.write('f', 'mine\n');
    const plain = stage.pipe();
    for (const line of ['/apply nobody', '/apply ../x', '/apply agent-1a2b3c4d']) plain.say(line);
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toContain(
      'Nothing was applied: there is no worktree nobody, and no agent of that name with one; there are: agent-1a2b3c4d',
    );
    expect(plain.stdout()).toContain("can't be the name of a worktree");
    expect(plain.stdout()).toContain('      mine\n      =======\n      theirs\n');
    expect(await stage.read('f')).toBe('mine\n');
  });
});
