/** An agent in one of our worktrees: what it may do there without a question, and that it can't leave it (GT-22, WT-4). */

import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { judge } from '../../../../src/gate/permissions/judge.js';
import { worktreePolicy } from '../../../../src/gate/permissions/paths/own-worktree.js';
import { parseRule } from '../../../../src/gate/permissions/rules/rule.js';
import { rulesInWorktree } from '../../../../src/gate/permissions/rules/rules-in-worktree.js';
import { nodeFiles } from '../../../../src/host/node-files.js';
import type { AgentWorktree } from '../../../../src/protocol/events.js';
import { makePlayground, type Playground, type PolicyChanges } from '../../../unit/gate/permissions/playground.js';

let place: Playground;
/** The checkout, and a worktree of it. */
let main: string;
let tree: string;
let worktree: AgentWorktree;

const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], { cwd, stdio: 'pipe' });

beforeEach(async () => {
  place = await makePlayground();
  main = place.root;
  git(main, 'init', '-q', '-b', 'main');
  await place.write('f.txt');
  await place.write('src/a.ts');
  git(main, 'add', '.');
  git(main, 'commit', '-qm', 'one');
  tree = join(main, '.claude/worktrees/agent-1');
  git(main, 'worktree', 'add', '-q', '-b', 'worktree-agent-1', tree);
  tree = realpathSync(tree);
  const common = realpathSync(join(main, '.git'));
  worktree = {
    name: 'agent-1',
    path: tree,
    branch: 'worktree-agent-1',
    from: main,
    git: { own: join(common, 'worktrees/agent-1'), common },
  };
});

afterEach(() => place.remove());

type Changes = PolicyChanges & { readonly bubbles?: boolean; readonly cwd?: string };

/** As the gate judges for an agent in the worktree. Rules are the project's. */
function inTree({ bubbles = false, cwd = tree, ...changes }: Changes = {}) {
  const { rules, ...policy } = place.policy({ roots: [tree], trusted: false, ...changes });
  const placed = {
    ...policy,
    rules: rulesInWorktree(rules, worktree, place.home),
    worktree: worktreePolicy(worktree, bubbles, nodeFiles.sync),
  };
  return {
    bash: (command: string) =>
      judge({ tool: 'Bash', input: {}, actions: [{ kind: 'shell', command, cwd }], cwd }, placed),
    edit: (path: string) => judge({ tool: 'Edit', input: {}, actions: [{ kind: 'edit', path }], cwd }, placed),
    read: (path: string) => judge({ tool: 'Read', input: {}, actions: [{ kind: 'read', path }], cwd }, placed),
  };
}

const COMMITS = [
  'git add .',
  'git add -A',
  'git add src/a.ts f.txt',
  'git commit -m "work"',
  'git commit -am "work"',
  "git commit -q -m 'one' -m 'two'",
  'git add -A && git commit -m "work" && git log -1 --format=%H',
];

describe('GT-22 in one of our worktrees', () => {
  it.each([...COMMITS, 'git status', 'git diff', 'git diff HEAD~1', 'git log -3 --oneline'])(
    'GT-22: %s needs no question in acceptEdits, nor from a fork',
    (command) => {
      expect(inTree({ mode: 'acceptEdits' }).bash(command).behavior).toBe('allow');
      expect(inTree({ bubbles: true }).bash(command).behavior).toBe('allow');
      expect(inTree({ mode: 'bubble' }).bash(command).behavior).toBe('allow');
    },
  );

  it('GT-22: what is allowed so runs with the repository’s programs off', () => {
    const decision = inTree({ bubbles: true }).bash('git add -A && git commit -m x');
    expect(decision).toMatchObject({ behavior: 'allow', run: { kind: 'proven' } });
  });

  it.each(COMMITS)('GT-22: %s asks in default mode, without the worktree, and in dontAsk is denied', (command) => {
    expect(inTree().bash(command).behavior).toBe('ask');
    // Adding is an edit anywhere (GT-36); committing is not.
    const isAdding = !command.includes('commit');
    expect(place.bash(command, { mode: 'acceptEdits' }).behavior).toBe(isAdding ? 'allow' : 'ask');
    expect(inTree({ mode: 'dontAsk', bubbles: true }).bash(command).behavior).toBe('deny');
    expect(inTree({ mode: 'plan', bubbles: true }).bash(command).behavior).toBe('deny');
    expect(inTree({ readOnlyOnly: true, bubbles: true }).bash(command).behavior).toBe('deny');
  });

  it.each([
    'git push',
    'git checkout main',
    'git switch main',
    'git branch -D main',
    'git reset --hard main',
    'git merge main',
    'git commit --file=/etc/passwd',
    'git update-ref refs/heads/main HEAD',
    'git -c core.hooksPath=/tmp commit -m x',
    'git worktree remove .',
    'git stash',
    'git config user.name x',
    'git add ../elsewhere',
  ])('GT-22: %s asks all the same', (command) => {
    expect(inTree({ mode: 'acceptEdits', bubbles: true }).bash(command).behavior).toBe('ask');
  });

  it('GT-22: not on another branch, nor detached', () => {
    git(tree, 'checkout', '-q', '--detach');
    expect(inTree({ mode: 'acceptEdits' }).bash('git commit -m x').behavior).toBe('ask');
    git(tree, 'checkout', '-q', '-b', 'other');
    expect(inTree({ mode: 'acceptEdits' }).bash('git commit -m x').behavior).toBe('ask');
    git(tree, 'checkout', '-q', 'worktree-agent-1');
    expect(inTree({ mode: 'acceptEdits' }).bash('git commit -m x').behavior).toBe('allow');
  });

  it('GT-22: not if its .git leads elsewhere', () => {
    git(place.outside, 'init', '-q');
    writeFileSync(join(tree, '.git'), `gitdir: ${join(place.outside, '.git')}\n`);
    expect(inTree({ mode: 'acceptEdits' }).bash('git add .').behavior).toBe('ask');
  });

  it('GT-22: not in a repository nested in it', () => {
    mkdirSync(join(tree, 'nested'));
    git(join(tree, 'nested'), 'init', '-q');
    expect(inTree({ mode: 'acceptEdits' }).bash('cd nested && git commit -m x').behavior).toBe('ask');
    expect(inTree({ mode: 'acceptEdits', cwd: join(tree, 'nested') }).bash('git commit -m x').behavior).toBe('ask');
    expect(inTree({ mode: 'acceptEdits' }).bash('cd src && git add .').behavior).toBe('allow');
  });

  it('GT-22: hooks of an untrusted repository are off, so they ask nothing; a filter is not, so it asks', () => {
    writeFileSync(join(main, '.git/hooks/pre-commit'), '#!/bin/sh\ntouch /tmp/never\n', { mode: 0o755 });
    git(main, 'config', 'core.hooksPath', '.husky');
    git(main, 'config', 'commit.gpgSign', 'true');
    expect(inTree({ bubbles: true }).bash('git add . && git commit -m x').behavior).toBe('allow');
    git(main, 'config', 'filter.evil.clean', 'touch /tmp/never');
    expect(inTree({ bubbles: true }).bash('git add .').behavior).toBe('ask');
    expect(inTree({ bubbles: true, trusted: true }).bash('git add .').behavior).toBe('allow');
  });

  it('GT-22: a rule for another part of the line does not bring the hooks back', () => {
    writeFileSync(join(main, '.git/hooks/pre-commit'), '#!/bin/sh\ntouch /tmp/never\n', { mode: 0o755 });
    const changes = { bubbles: true, allow: ['Bash(npm test)', 'Bash(git commit:*)'] };
    expect(inTree(changes).bash('git commit -m x').behavior).toBe('allow');
    expect(inTree(changes).bash('git commit -m x && npm test').behavior).toBe('ask');
    // A rule alone runs it with its hooks, and those need trust.
    expect(inTree({ ...changes, bubbles: false }).bash('git commit -m x').behavior).toBe('ask');
  });
});

describe('WT-4 the checkout it was made from', () => {
  it('WT-4: edits into it are asked about, whatever rules and modes say, and the question says where the file is here', () => {
    const all = { mode: 'acceptEdits', allow: ['Edit', 'Write', 'Edit(/**)', 'Bash'] } as const;
    const path = join(main, 'src/a.ts');
    expect(inTree(all).edit(join(tree, 'src/a.ts')).behavior).toBe('allow');
    expect(inTree(all).edit(path)).toMatchObject({
      behavior: 'ask',
      firm: true,
      reason: `${path} is in the checkout this worktree was made from; here it is ${join(tree, 'src/a.ts')}`,
    });
    expect(inTree({ allow: [`Edit(/${main}/**)`] }).edit(path).behavior).toBe('ask');
    expect(inTree({ mode: 'dontAsk' }).edit(path).behavior).toBe('deny');
    expect(inTree({ mode: 'dontAsk' }).read(path)).toMatchObject({
      behavior: 'deny',
      reason: expect.stringContaining(join(tree, 'src/a.ts')),
    });
  });

  it('WT-4: a worktree next to it is somebody else’s', () => {
    const beside = join(main, '.claude/worktrees/agent-2/f.txt');
    expect(inTree({ mode: 'acceptEdits', allow: ['Edit'] }).edit(beside)).toMatchObject({
      behavior: 'ask',
      firm: true,
    });
  });

  it('WT-4: a link in the worktree that leads there is no way', () => {
    symlinkSync(join(main, 'src'), join(tree, 'out'));
    const all = { mode: 'acceptEdits', allow: ['Edit', 'Bash'] } as const;
    expect(inTree(all).edit(join(tree, 'out/a.ts')).behavior).toBe('ask');
    expect(inTree(all).bash('echo x > out/a.ts').behavior).toBe('ask');
    expect(inTree(all).bash('cd out && git add .').behavior).toBe('ask');
  });

  const ESCAPES = (from: string) => [
    `echo x > ${from}/f.txt`,
    `cp f.txt ${from}/f.txt`,
    `cd ${from} && git commit -m x`,
    'cd ../../.. && git commit -am x',
    `git -C ${from} commit -am x`,
    'git -C ../../.. add .',
    `git --git-dir=${from}/.git commit -m x`,
    `git --git-dir ${from}/.git --work-tree ${from} add .`,
    `git --work-tree=${from} add .`,
    `GIT_DIR=${from}/.git git add .`,
    'GIT_WORK_TREE=/tmp git add .',
    'GIT_INDEX_FILE=x git add .',
    `env GIT_DIR=${from}/.git git commit -m x`,
    `bash -c "cd ${from} && git commit -am x"`,
    "bash -c 'cd ../../.. && touch x'",
    `tee ${from}/f.txt < f.txt`,
    `git worktree add ${from}/x`,
    `sed -i s/a/b/ ${from}/f.txt`,
    `rm -rf ${from}/src`,
    `node -e "require('fs').writeFileSync('${from}/f.txt', '')"`,
  ];

  it('WT-4: commands that visibly leave it are asked about, also where a rule allows every command', () => {
    for (const command of ESCAPES(main)) {
      expect(inTree({ mode: 'acceptEdits', bubbles: true }).bash(command).behavior, command).toBe('ask');
      expect(inTree({ mode: 'acceptEdits', allow: ['Bash'], trusted: true }).bash(command).behavior, command).toBe(
        'ask',
      );
    }
  });

  it('WT-4: what stays there runs as the rules say', () => {
    // Where nothing keeps it from the checkout, a program that runs anything asks.
    expect(inTree({ allow: ['Bash'], trusted: true }).bash('npm test').behavior).toBe('ask');
    const box = { deniedInGit: false, gitIsWhole: true };
    const all = inTree({ allow: ['Bash'], trusted: true, box });
    for (const command of [
      'npm test',
      `touch ${tree}/x`,
      'git commit -m "see ../x"',
      'make',
      'cd src && make x',
      `cat ${main}/f.txt`,
    ])
      expect(all.bash(command).behavior, command).toBe('allow');
  });
});

describe('GT-29 rules of the project in a worktree of it', () => {
  const read = (rule: string, behavior: 'allow' | 'deny', base = main) =>
    parseRule(rule, behavior, { source: 's', base }).rule ?? expect.fail('a rule');

  it('GT-6: a denial of a path in the checkout holds in the worktree too, however it is written', () => {
    for (const rule of ['Read(/src/**)', `Read(/${main}/src/**)`, 'Read(./src/**)', 'Read(src/**)']) {
      expect(inTree({ deny: [rule] }).read(join(tree, 'src/a.ts')).behavior, rule).toBe('deny');
      expect(inTree({ deny: [rule] }).bash('cat src/a.ts').behavior, rule).toBe('deny');
    }
    expect(inTree({ deny: ['Read(/src/**)'] }).read(join(main, 'src/a.ts')).behavior).toBe('deny');
    expect(inTree({ deny: ['Edit(/src/**)'], mode: 'acceptEdits' }).edit(join(tree, 'src/a.ts')).behavior).toBe('deny');
  });

  it('GT-6: one written with ~ holds too', () => {
    const inHome = { ...worktree, from: join(place.home, 'p'), path: join(place.home, 'p/.claude/worktrees/x') };
    const moved = rulesInWorktree([read('Read(~/p/secret)', 'deny')], inHome, place.home);
    expect(moved.map(({ matches }) => matches.kind === 'path' && matches.pattern.written)).toEqual([
      '~/p/secret',
      `/${place.home}/p/.claude/worktrees/x/secret`,
    ]);
  });

  it('GT-29: an allowance applies in the worktree, and no longer in the checkout', () => {
    expect(inTree({ allow: ['Edit(/src/**)'] }).edit(join(tree, 'src/a.ts')).behavior).toBe('allow');
    expect(inTree({ allow: ['Edit(/src/**)'] }).edit(join(tree, 'f.txt')).behavior).toBe('ask');
    const folders = (rule: string) =>
      rulesInWorktree([read(rule, 'allow')], worktree, place.home).map(
        ({ matches }) => matches.kind === 'path' && matches.pattern.from,
      );
    expect(folders('Edit(/src/**)')).toEqual([{ kind: 'fixed', folder: tree }]);
    // What may be read of the checkout may still be read.
    expect(folders('Read(/src/**)')).toEqual([main, tree].map((folder) => ({ kind: 'fixed', folder })));
  });

  it('GT-29: a project’s command rule, and an "always" said in it, apply in its worktrees', () => {
    for (const kind of ['project', 'root'] as const) {
      const { rule } = parseRule('Bash(npm test)', 'allow', { source: 's', base: main, bound: { kind, folder: main } });
      const moved = rulesInWorktree(rule === undefined ? [] : [rule], worktree, place.home);
      expect(moved.map(({ origin }) => origin.bound)).toEqual([{ kind, folder: tree }]);
    }
  });
});
