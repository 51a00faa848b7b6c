/** Children in worktrees and the gate: they commit without a question, and can't change what they came from. */

import { describe, expect, it } from 'vitest';
import { SANDBOX_WORKS } from '../../../program/gate/sandbox/stage.js';
import { begin, script } from '../../../story/agents/agents-script.js';
import { bash, denying, fork, write } from '../../../story/worktrees/worktree-gate-stage.js';
import { setRepository } from '../../../story/worktrees/worktree-stage.js';
import { eventsOf, expectAllAccepted } from '../../../support/story.js';

const MANY = Array.from({ length: 20 }, (_, n) => n + 1);

describe.each(SANDBOX_WORKS ? ['off', 'required'] : ['off'])('sandbox %s', (sandbox) => {
  it('GT-22, WT-5, WT-13: 20 forks commit in their worktrees, ask nobody, and all succeed', async () => {
    const directives = MANY.map((n) => [
      `DIRECTIVE ${n} go`,
      [
        [write(`made-${n}.txt`, `${n}\n`)],
        [bash(`git add -A && git commit -m "made ${n}" && git status --short && git log -1 --format=%s`)],
        `Scope: ${n}`,
      ],
    ]);
    const stage = await setRepository(
      script({ ...Object.fromEntries(directives), main: ['hello', MANY.map(fork), 'end'] }),
    );
    await stage.settings({ sandbox });
    const { questions, onPermission } = denying();
    const session = await stage.open({ fork: 'on', permissionMode: 'acceptEdits', trust: true, onPermission });
    await session.send(begin());
    const head = stage.git(['rev-parse', 'HEAD']);
    await session.send('now');
    expectAllAccepted(stage.sim);
    expect(questions).toEqual([]);
    const spawned = eventsOf(stage, 'agent-spawned');
    expect(spawned).toHaveLength(20);
    const subjects = spawned.map(({ worktree }) => stage.git(['log', '-1', '--format=%s', worktree?.branch ?? '']));
    expect(subjects.sort()).toEqual(MANY.map((n) => `made ${n}`).sort());
    expect(stage.git(['rev-parse', 'HEAD'])).toBe(head);
    expect(stage.git(['status', '--short'])).toBe('');
    expect(stage.git(['fsck'])).not.toMatch(/error|missing|broken/);
    expect(eventsOf(stage, 'worktree-settled').map(({ outcome }) => outcome)).toEqual(MANY.map(() => 'kept'));
  });
});
