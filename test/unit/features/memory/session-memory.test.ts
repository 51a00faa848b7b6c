/** The memory of a session's agents as commands, and as an object of the library: the same results (ME-5, SF-6). */

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CoppiceError, openMemory } from '../../../../src/index.js';
import { setStage } from '../../../support/story.js';
import { agentFile, setMemoryStage } from './memory-stage.js';

it('ME-5: as commands of a session, with its trust and its own agents', async () => {
  const stage = await setStage();
  await stage.write('.claude/agents/reviewer.md', agentFile('reviewer', 'local'));
  await stage.write('.claude/agent-memory-local/reviewer/MEMORY.md', 'mine\n');
  await stage.write('.claude/agent-memory/given/MEMORY.md', 'given\n');
  const untrusted = await stage.open();
  expect(await untrusted.execute({ type: 'show-memory', memory: 'reviewer' })).toMatchObject({
    ok: false,
    name: 'reviewer',
    reason: expect.stringContaining('is not trusted'),
  });
  await untrusted.close();
  const agents = { given: { description: 'Given.', prompt: 'You are given.', memory: 'project' } };
  const session = await stage.open({ trust: true, agents });
  expect(await session.execute({ type: 'memory' })).toMatchObject({
    ok: true,
    memories: [
      { name: 'given', scope: 'project', isUnclaimed: false, files: 1 },
      { name: 'reviewer', scope: 'local', files: 1 },
    ],
  });
  const shown = await session.execute({ type: 'show-memory', memory: 'reviewer', file: 'MEMORY.md' });
  expect(shown).toMatchObject({ ok: true, files: [{ name: 'MEMORY.md', text: 'mine\n' }] });
  const change = (how: 'publish' | 'take' | 'merge' | 'decline' | 'roll-back', more = {}) =>
    session.execute({ type: 'change-memory', memory: 'reviewer', how, ...more });
  expect(await change('publish')).toMatchObject({ ok: true, name: 'reviewer', files: ['MEMORY.md'] });
  await stage.write('.claude/agent-memory-local/reviewer/MEMORY.md', 'mine again\n');
  expect(await session.execute({ type: 'diff-memory', memory: 'reviewer' })).toMatchObject({
    ok: true,
    files: [{ name: 'MEMORY.md', state: 'changed' }],
    text: expect.stringContaining('-mine again\n+mine\n'),
  });
  const taken = await change('take');
  expect(taken).toMatchObject({ ok: true, files: ['MEMORY.md'], backup: expect.any(String) });
  const backups = await session.execute({ type: 'memory-backups', memory: 'reviewer' });
  expect(backups).toMatchObject({ ok: true, backups: [{ files: ['MEMORY.md'] }] });
  expect(await change('roll-back', { to: 'none' })).toMatchObject({ ok: false, name: 'reviewer' });
  expect(await change('roll-back', { to: taken.ok ? taken.backup : '' })).toMatchObject({ ok: true });
  expect(await stage.read('.claude/agent-memory-local/reviewer/MEMORY.md')).toBe('mine again\n');
  expect(await change('take', { scope: 'user' })).toMatchObject({ ok: false, reason: expect.stringContaining('user') });
  await stage.write('.claude/agent-memory-snapshots/reviewer/snapshot.json', '{"updatedAt":"2999-01-01T00:00:00Z"}');
  expect(await change('publish')).toMatchObject({ ok: false, name: 'reviewer' });
  expect(await change('publish', { force: true })).toMatchObject({ ok: true });
  for (const how of ['merge', 'decline'] as const) expect(await change(how), how).toMatchObject({ ok: true });
  expect(await change('burn' as 'take')).toMatchObject({ ok: false, reason: expect.stringContaining('"burn"') });
  await session.close();
  expect(await session.execute({ type: 'memory' })).toEqual({ ok: false, reason: 'the session is closed' });
  expect(stage.sim.requests).toEqual([]);
});

it('ME-6: in a worktree that a hook made, which git does not know, it is that of the checkout it was made from', async () => {
  const stage = await setStage();
  const made = join(stage.home, 'made');
  const hook = { type: 'command', command: `mkdir -p ${made}; echo ${made}` };
  const agents = { given: { description: 'Given.', prompt: 'You are given.', memory: 'project' } };
  await stage.settings({ hooks: { WorktreeCreate: [{ hooks: [hook] }] }, agents });
  await stage.write('.claude/agent-memory/given/MEMORY.md', 'of the checkout\n');
  const session = await stage.open({ worktree: 'one', trust: true });
  expect(session.cwd).toBe(made);
  expect(await session.execute({ type: 'show-memory', memory: 'given' })).toMatchObject({
    ok: true,
    files: [{ text: 'of the checkout\n' }],
  });
});

it('SF-6: openMemory has the same as methods; a folder or settings that can’t be read reject with a CoppiceError', async () => {
  const stage = await setMemoryStage();
  await stage.write('.claude/agent-memory-local/reviewer/MEMORY.md', 'mine\n');
  const given = { cwd: stage.folder, env: stage.env };
  expect((await openMemory(given)).trusted).toBe(false);
  const memory = await openMemory({ ...given, trust: true });
  expect(memory).toMatchObject({ root: stage.folder, trusted: true, warnings: [] });
  expect(await memory.publish('reviewer')).toMatchObject({ ok: true, files: ['MEMORY.md'] });
  expect((await memory.list()).memories[0]).toMatchObject({ name: 'reviewer', snapshot: { state: 'current' } });
  await expect(openMemory({ ...given, cwd: join(stage.folder, 'gone') })).rejects.toThrow(CoppiceError);
  await stage.write('~/.claude/settings.json', '{"model": 5}');
  await expect(openMemory(given)).rejects.toMatchObject({ kind: 'settings' });
});
