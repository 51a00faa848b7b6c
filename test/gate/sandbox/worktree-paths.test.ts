/** Committing in a worktree of ours from inside the sandbox. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { worktreePaths } from '../../../src/gate/sandbox/worktree-paths.js';
import { expectRefusal, makeRepository, SANDBOX_WORKS, setStage } from './stage.js';

if (SANDBOX_WORKS) {
  it.each(['/var/tmp', '/tmp'])(
    'GT-22: in %s, add and commit work there, and of the git folder nothing else can be changed',
    async (parent) => {
      const { run, project, host } = await setStage('required', {}, undefined, parent);
      await makeRepository(host, project);
      const script = 'git worktree add -q .claude/worktrees/agent-1 -b worktree-agent-1';
      await host.processes.run({ file: 'bash', args: ['-c', script], cwd: project, env: host.env });
      const root = join(project, '.claude/worktrees/agent-1');
      const git = join(project, '.git');
      const paths = await worktreePaths(host.files, { gitFolder: git, name: 'agent-1', branch: 'worktree-agent-1' });
      const needs = { roots: [root], cwd: root, ...paths };
      const before = readFileSync(join(git, 'refs/heads/main'), 'utf8');
      const common = readFileSync(join(git, 'worktrees/agent-1/commondir'), 'utf8');

      const ran = await run(
        'echo two > two && git add -A && git commit -qm two && git log --oneline && git status --short',
        needs,
      );
      expect(ran.output).toMatch(/ two\n.* one\n$/);
      expect(ran.code).toBe(0);
      expect(ran.notes).toEqual([]);

      const attack = await run(
        `cd ${git}; echo evil > hooks/pre-commit; echo evil >> config; echo evil > HEAD; echo evil > packed-refs
    echo evil > refs/heads/main; mv refs/heads/main refs/heads/x; echo ${root} > worktrees/agent-1/commondir; echo x > ${root}/.git
    rm ${root}/.git; echo evil > ${project}/file; cd ${root}; git config core.fsmonitor evil; git branch -f main HEAD; echo evil > ${git}/worktrees/agent-1/config.worktree`,
        needs,
      );
      expect(readFileSync(join(git, 'refs/heads/main'), 'utf8')).toBe(before);
      expect(readFileSync(join(git, 'worktrees/agent-1/commondir'), 'utf8')).toBe(common);
      expect(readFileSync(join(git, 'HEAD'), 'utf8')).toBe('ref: refs/heads/main\n');
      expect(readFileSync(join(git, 'config'), 'utf8')).not.toContain('evil');
      expect(readFileSync(join(project, 'file'), 'utf8')).toBe('one\n');
      expect(attack.notes.join()).toContain('config.worktree is a protected name');
    },
  );
} else it('GT-19: where there is no sandbox, required refuses', expectRefusal);
