/** The notes in a prompt stay as they were: in a fork, and in an agent that comes back after its session was left (ME-9). */

import { mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gate, onceOpen } from '../../support/gate.js';
import { eventsOf, expectAllAccepted } from '../../support/story.js';
import { requestsOf, script, systemOf } from '../agents/agents-script.js';
import { setRepository } from '../worktrees/worktree-stage.js';
import { agentCall, localMemory, projectMemory, reviewer, TASK, write } from './memory-stage.js';

const FORKED = 'DIRECTIVE fork';

it('ME-9 FK-7: a fork has its parent’s notes, byte for byte, and may keep them, whatever the files say by then', async () => {
  const stage = await setRepository(
    script({ main: ['One.', 'Two.'], [FORKED]: [() => [write(projectMemory(stage, 'forked.md'), 'x\n')], 'Forked.'] }),
    { '.claude/agents/reviewer.md': reviewer({ tools: 'Grep' }) },
  );
  await mkdir(projectMemory(stage), { recursive: true });
  await writeFile(projectMemory(stage, 'MEMORY.md'), 'first notes\n');
  const session = await stage.open({ trust: true, agent: 'reviewer' });
  await session.send('begin');
  await writeFile(projectMemory(stage, 'MEMORY.md'), 'second notes\n');
  const { status } = await session.fork(FORKED);
  expect(status).toBe('completed');
  const [parent, child] = stage.sim.requests;
  expect(systemOf(parent as NonNullable<typeof parent>)).toContain('first notes');
  expect(JSON.stringify([child?.body.tools, child?.body.system])).toBe(
    JSON.stringify([parent?.body.tools, parent?.body.system]),
  );
  const results = stage.sim.requests.at(-1)?.results ?? [];
  expect(results.at(-1)).toMatchObject({ tool: 'Write', error: false });
  expectAllAccepted(stage.sim);
});

it('ME-9 DU-16: an agent that is resumed keeps its prompt and its folder; it is informed of changes', async () => {
  const hold = gate();
  const stage = await setRepository(
    script({
      main: [[agentCall(TASK, { subagent_type: 'reviewer', run_in_background: true })], 'Started.', 'Heard.'],
      [TASK]: [onceOpen(hold, 'never'), () => [write(projectMemory(stage, 'later.md'), 'x\n')], 'Done.'],
    }),
    { '.claude/agents/reviewer.md': reviewer({ tools: 'Grep' }) },
  );
  await mkdir(projectMemory(stage), { recursive: true });
  await writeFile(projectMemory(stage, 'MEMORY.md'), 'first notes\n');
  const session = await stage.open({ trust: true });
  await session.send('begin');
  await stage.sim.received(3);
  await session.close();
  await writeFile(projectMemory(stage, 'MEMORY.md'), 'second notes\n');
  const { agent = '' } = eventsOf(stage, 'agent-spawned')[0] ?? {};
  const later = await stage.open({ trust: true, resume: session.id });
  await later.execute({ type: 'resume-agent', agent });
  await later.settled();
  const own = requestsOf(stage.sim, TASK).filter((request) => systemOf(request).startsWith('Review'));
  expect(own.length).toBeGreaterThanOrEqual(3);
  expect(new Set(own.map(systemOf)).size).toBe(1);
  expect(systemOf(own[0] as NonNullable<(typeof own)[0]>)).toContain('first notes');
  expect(JSON.stringify(own.at(-1)?.body.messages)).toMatch(/Your notes have changed.*second notes/);
  expect(own.at(-1)?.results.at(-1)).toMatchObject({ tool: 'Write', error: false });
  // Notes that come after a prompt are no change of the definition.
  const lines = eventsOf(stage, 'line-shown').map(({ line }) => line);
  expect(lines.join('\n')).not.toContain('has changed');
});

it('ME-5 ME-8: an agent that is resumed finishes what a crash left before it reads or writes its notes', async () => {
  const hold = gate();
  const stage = await setRepository(
    script({
      main: [[agentCall(TASK, { subagent_type: 'reviewer', run_in_background: true })], 'Started.', 'Heard.'],
      [TASK]: [onceOpen(hold, 'never'), () => [write(localMemory(stage, 'later.md'), 'later\n')], 'Done.'],
    }),
    { '.claude/agents/reviewer.md': reviewer({ memory: 'local' }) },
  );
  await mkdir(localMemory(stage), { recursive: true });
  await writeFile(localMemory(stage, 'MEMORY.md'), 'first notes\n');
  const session = await stage.open({ trust: true });
  await session.send('begin');
  await stage.sim.received(3);
  await session.close();
  // As a kill leaves it between the two renames: the old folder is a backup, the new one waits.
  const beside = localMemory(stage, '..', '.coppice', 'reviewer');
  await mkdir(join(beside, 'backups'), { recursive: true });
  await mkdir(join(beside, 'next', 'folder'), { recursive: true });
  await writeFile(join(beside, 'next', 'folder', 'MEMORY.md'), 'second notes\n');
  const inode = String((await stat(join(beside, 'next'))).ino);
  await writeFile(join(beside, 'next', 'plan.json'), JSON.stringify({ v: 1, inode, backup: '000001' }));
  await rename(localMemory(stage), join(beside, 'backups', '000001'));
  const { agent = '' } = eventsOf(stage, 'agent-spawned')[0] ?? {};
  const later = await stage.open({ trust: true, resume: session.id });
  await later.execute({ type: 'resume-agent', agent });
  await later.settled();
  const last = requestsOf(stage.sim, TASK).findLast((request) => systemOf(request).startsWith('Review'));
  expect(JSON.stringify(last?.body.messages)).toMatch(/Your notes have changed.*second notes/);
  expect((await readdir(localMemory(stage))).sort()).toEqual(['MEMORY.md', 'later.md']);
  expect(await readdir(beside)).toEqual(['backups']);
});
