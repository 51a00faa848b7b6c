/** A sandboxed command in one of our worktrees commits, and can change nothing else of the repository (GT-22). */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  expectRefusal,
  makeRepository,
  SANDBOX_WORKS,
  type Stage,
  setStage,
} from '../../../program/gate/sandbox/stage.js';

const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync('git', args, { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();

async function inWorktree(name = 'agent-1') {
  const stage = await setStage();
  const { project, host } = stage;
  await makeRepository(host, project);
  return { ...stage, ...addWorktree(stage, name) };
}

function addWorktree({ project, run }: Stage, name: string) {
  const branch = `worktree-${name}`;
  git(project, 'worktree', 'add', '-q', '--lock', '-b', branch, `.claude/worktrees/${name}`);
  const tree = realpathSync(join(project, '.claude/worktrees', name));
  const common = realpathSync(join(project, '.git'));
  const record = { own: join(common, 'worktrees', name), common };
  const worktree = { name, path: tree, branch, from: project, git: record };
  return {
    tree,
    common,
    inTree: (script: string) => run(script, { roots: [tree], cwd: tree, worktree }),
  };
}

const COMMIT = 'echo more > more && git add -A && git -c user.name=A -c user.email=a@b.c commit -qm more';

describe.runIf(SANDBOX_WORKS)('with a sandbox', () => {
  describe('a commit in a sandbox', () => {
    it('GT-22: moves its own branch, and leaves the main branch and checkout as they were', async () => {
      const { inTree, project, tree, home } = await inWorktree();
      const before = git(project, 'rev-parse', 'HEAD');
      expect(await inTree(`${COMMIT} && git log --oneline | wc -l`)).toMatchObject({ code: 0, notes: [] });
      expect(git(tree, 'log', '-1', '--format=%s')).toBe('more');
      expect(git(project, 'rev-parse', 'worktree-agent-1^')).toBe(before);
      expect(git(project, 'rev-parse', 'HEAD')).toBe(before);
      expect(git(tree, 'status', '--porcelain')).toBe('');
      expect(git(project, 'fsck', '--strict')).not.toMatch(/error|missing|broken/);
      expect(readdirSync(join(home, 'sandbox')).flatMap((one) => branchCopies(home, one))).toEqual([]);
    });

    it('GT-22: one after another, and on a branch whose ref is packed', async () => {
      const { inTree, project, tree } = await inWorktree();
      expect((await inTree(COMMIT)).code).toBe(0);
      git(project, 'pack-refs', '--all');
      expect((await inTree(COMMIT.replaceAll('more', 'second'))).notes).toEqual([]);
      expect(git(tree, 'log', '--format=%s', '-2')).toBe('second\nmore');
    });

    it('GT-22: two at once share one view, so that none is lost', async () => {
      const { inTree, tree } = await inWorktree();
      // One may commit what the other has added: what matters is that it is there.
      const commit = (name: string) =>
        `for i in $(seq 60); do ${COMMIT.replaceAll('more', name)}; git cat-file -e HEAD:${name} && break; sleep 0.2; done`;
      const ran = await Promise.all([inTree(commit('a')), inTree(commit('b'))]);
      expect(ran.flatMap(({ notes }) => notes)).toEqual([]);
      expect(git(tree, 'ls-tree', '--name-only', 'HEAD').split('\n')).toEqual(['a', 'b', 'file']);
      expect(git(tree, 'status', '--porcelain')).toBe('');
    });

    it('GT-22: 20 worktrees at once', async () => {
      const { project, ...stage } = await setStage();
      await makeRepository(stage.host, project);
      const trees = Array.from({ length: 20 }, (_, n) => addWorktree({ ...stage, project }, `agent-${n}`));
      const ran = await Promise.all(trees.map(({ inTree }) => inTree(COMMIT)));
      expect(ran.map(({ code, notes }) => [code, ...notes])).toEqual(trees.map(() => [0]));
      for (const { tree } of trees) expect(git(tree, 'log', '-1', '--format=%s')).toBe('more');
      expect(git(project, 'fsck')).not.toMatch(/error|missing|broken/);
    });
  });

  describe('what it can’t change', () => {
    it('GT-22: other branches, tags, packed refs, configuration, hooks, packs, records of ours and git’s lock', async () => {
      const { inTree, project, common } = await inWorktree();
      git(project, 'branch', 'other');
      git(project, 'tag', 'v1');
      git(project, 'gc', '-q');
      const state = () =>
        ['rev-parse main other v1', 'config --list --local', 'worktree list --porcelain'].map((args) =>
          git(project, ...args.split(' ')),
        );
      const before = state();
      await inTree(`
        git update-ref refs/heads/other $(git commit-tree -m x HEAD^{tree})
        git update-ref refs/heads/main $(git commit-tree -m x HEAD^{tree})
        git branch new; git tag -f v1 HEAD; git tag v2; git branch -D other
        git config user.name evil; git config --worktree core.hooksPath /tmp
        echo x > ${common}/hooks/pre-commit; echo x > ${common}/packed-refs; echo x > ${common}/HEAD
        echo x > ${common}/config; rm -f ${common}/objects/pack/*; echo x > ${common}/objects/info/alternates
        git worktree unlock .; rm ${common}/worktrees/agent-1/locked; mkdir ${common}/coppice
        echo ${project} > ${common}/worktrees/agent-1/gitdir; echo x > ${project}/file`);
      expect(state()).toEqual(before);
      expect(existsSync(join(common, 'refs/heads/new'))).toBe(false);
      expect(existsSync(join(common, 'coppice'))).toBe(false);
      expect(existsSync(join(common, 'worktrees/agent-1/locked'))).toBe(true);
      expect(readdirSync(join(common, 'hooks')).filter((name) => !name.endsWith('.sample'))).toEqual([]);
      expect(readFileSync(join(project, 'file'), 'utf8')).not.toBe('x\n');
      expect(git(project, 'fsck')).not.toMatch(/error|missing|broken/);
    });

    it('GT-19, WT-12: nor what we keep of worktrees, for a command in the checkout itself, whether it is there or not', async () => {
      const { run, project, host } = await setStage();
      await makeRepository(host, project);
      const attack =
        'mkdir -p .git/coppice; echo evil > .git/coppice/applying-x.json; mv .git/coppice .git/c; echo x > ok';
      await run(attack);
      expect(readdirSync(join(project, '.git'))).not.toContain('coppice');
      expect(readdirSync(join(project, '.git'))).not.toContain('c');
      mkdirSync(join(project, '.git/coppice'));
      await run(attack);
      expect(readdirSync(join(project, '.git/coppice'))).toEqual([]);
      expect(existsSync(join(project, 'ok'))).toBe(true);
    });

    it('GT-22: what was tried with other branches is reported', async () => {
      const { inTree, project } = await inWorktree();
      const { notes } = await inTree('git branch new && git branch -D worktree-agent-1; rm -f .git; true');
      expect(notes.join('\n')).toContain('only the branch worktree-agent-1 can be changed here');
      expect(git(project, 'branch', '--format=%(refname:short)').split('\n')).toEqual(['main', 'worktree-agent-1']);
    });

    it('GT-22: its branch is not moved to something that is no commit, deleted, or taken over a newer one', async () => {
      const { inTree, project, common } = await inWorktree();
      const at = git(project, 'rev-parse', 'worktree-agent-1');
      const ref = `${common}/refs/heads/worktree-agent-1`;
      for (const script of [
        `rm ${ref}`,
        `echo x > ${ref}`,
        `ln -sf /etc/hostname ${ref}`,
        `git rev-parse HEAD^{tree} > ${ref}`,
        `echo ${'0'.repeat(40)} > ${ref}`,
      ]) {
        expect((await inTree(script)).notes.join('\n'), script).toContain('the branch worktree-agent-1 was not moved');
        expect(git(project, 'rev-parse', 'worktree-agent-1')).toBe(at);
      }
      const racing = inTree(`${COMMIT}; touch done; while [ ! -e go ]; do sleep 0.05; done`);
      const { tree } = { tree: join(project, '.claude/worktrees/agent-1') };
      while (!existsSync(join(tree, 'done'))) await new Promise((resolve) => setTimeout(resolve, 20));
      const newer = git(
        project,
        '-c',
        'user.name=A',
        '-c',
        'user.email=a@b.c',
        'commit-tree',
        '-m',
        'n',
        '-p',
        at,
        `${at}^{tree}`,
      );
      git(project, 'update-ref', 'refs/heads/worktree-agent-1', newer);
      execFileSync('touch', [join(tree, 'go')]);
      expect((await racing).notes.join('\n')).toMatch(/was not moved: .*The commit is there as [0-9a-f]{40}/);
      expect(git(project, 'rev-parse', 'worktree-agent-1')).toBe(newer);
    });
  });
});
it.skipIf(SANDBOX_WORKS)('GT-19: without a sandbox, nothing runs where one is required', expectRefusal);

function branchCopies(home: string, one: string): readonly string[] {
  const folder = join(home, 'sandbox', one, 'branches');
  return existsSync(folder) ? readdirSync(folder) : [];
}
