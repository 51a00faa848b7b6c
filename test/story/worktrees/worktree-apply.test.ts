/** The work of a child comes back into the session's checkout, by the child's id or name, also while it works (WT-12). */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gate, onceOpen } from '../../support/gate.js';
import { eventsOf, expectAllAccepted } from '../../support/story.js';
import { agentCall, begin, script } from '../agents/agents-script.js';
import { setRepository, worktreeOf } from './worktree-stage.js';

const TASK = 'TASK alpha';
const bash = (command: string) => ({ tool: 'Bash', input: { command } });

it('WT-12: by its name, while it works and after it has ended, in this session and in one that continues with it', async () => {
  const goOn = gate();
  const stage = await setRepository(
    script({
      main: [
        [agentCall(TASK, { isolation: 'worktree', name: 'writer', run_in_background: true })],
        'Started.',
        'Heard.',
      ],
      [TASK]: [
        [bash('echo two > a.txt; git commit -qam work; echo new > b.txt')],
        onceOpen(goOn, [bash('echo three > a.txt; echo more > c.txt')]),
        'Worked.',
      ],
    }),
  );
  const session = await stage.open({ allowedTools: ['Bash'] });
  await session.send(begin());
  await stage.sim.received(4);
  const { name } = worktreeOf(stage);
  expect(await session.worktrees()).toMatchObject({
    worktrees: [{ name, state: 'in-use', isOwnerAlive: true, commits: 1, changedFiles: 2 }],
  });
  expect(await session.applyWorktree('writer')).toMatchObject({
    ok: true,
    name,
    changed: [
      { path: 'a.txt', how: 'changed' },
      { path: 'b.txt', how: 'added' },
    ],
  });
  expect(await session.removeWorktree('writer', { discard: true })).toMatchObject({
    ok: false,
    reasons: [expect.stringMatching(/^it is in use: held by process \d+/)],
  });
  goOn.open();
  await session.settled();
  expectAllAccepted(stage.sim);
  const id = eventsOf(stage, 'agent-spawned')[0]?.agent ?? '';
  // The same place again: what was brought before is what it is merged with.
  await writeFile(join(stage.folder, 'b.txt'), 'mine\n');
  expect(await session.applyWorktree(id)).toMatchObject({
    ok: true,
    changed: [
      { path: 'a.txt', how: 'changed' },
      { path: 'c.txt', how: 'added' },
    ],
  });
  expect(await stage.read('a.txt')).toBe('three\n');
  expect(await stage.read('b.txt')).toBe('mine\n');
  expect(stage.git(['log', '--format=%s'])).toBe('first');
  await session.close();
  const later = await stage.open({ resume: session.id });
  expect(await later.applyWorktree('writer')).toMatchObject({ ok: true, name, changed: [] });
  expect(await later.removeWorktree('writer', { discard: true })).toMatchObject({ ok: true, name });
  expect(await later.applyWorktree('writer')).toEqual({ ok: false, reason: `agent ${id} has none any more (${name})` });
});
