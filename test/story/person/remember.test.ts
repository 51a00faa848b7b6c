/** `#`: a line for a file of instructions, or for an agent's notes. */

import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Host } from '../../../src/host/host.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { type Stage, setStage } from '../../support/story.js';

const last = ({ sim }: Stage) => JSON.stringify(sim.requests.at(-1)?.body.messages.at(-1));

it('SF-16: a line goes to the file that is meant, and the next request tells of it', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  const session = await stage.open();
  await session.send('hello');
  await stage.write('CLAUDE.md', '# Ours\nUse tabs.');
  const remember = (text: string, where: 'project' | 'local' | 'user' | 'agent') =>
    session.execute({ type: 'remember', text, where });
  expect(await remember(' tests are in\n test/ ', 'project')).toEqual({
    ok: true,
    file: join(stage.folder, 'CLAUDE.md'),
  });
  expect(await stage.read('CLAUDE.md')).toBe('# Ours\nUse tabs.\n- tests are in test/\n');
  expect(await remember('- mine', 'local')).toEqual({ ok: true, file: join(stage.folder, 'CLAUDE.local.md') });
  expect(await stage.read('CLAUDE.local.md')).toBe('- mine\n');
  const own = join(stage.home, '.claude', 'CLAUDE.md');
  expect(await remember('be brief', 'user')).toEqual({ ok: true, file: own });
  expect(await readFile(own, 'utf8')).toBe('- be brief\n');
  expect(stage.sim.requests).toHaveLength(1);
  await session.send('go on');
  for (const line of ['- tests are in test/', '- mine', '- be brief']) expect(last(stage)).toContain(line);
  expect(await remember('x', 'agent')).toMatchObject({ ok: false, reason: expect.stringContaining('memory') });
  expect(await remember(' \n ', 'project')).toMatchObject({ ok: false });
});

/** A machine on which hardly any time passes: what follows, follows at once. */
function slowly({ folder, env }: Stage): Host {
  const at = (place: string): Host => {
    const host = nodeHost(place, env);
    return { ...host, at, clock: { ...host.clock, elapsed: () => host.clock.elapsed() / 1000 } };
  };
  return at(folder);
}

it('SF-16: right after the session was opened, too; and an AGENTS.md is not hidden by a new CLAUDE.md', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  await stage.write('AGENTS.md', 'Use tabs.\r\n');
  const session = await stage.open({ host: slowly(stage) });
  const done = await session.execute({ type: 'remember', text: 'and spaces', where: 'project' });
  expect(done).toEqual({ ok: true, file: join(stage.folder, 'AGENTS.md') });
  expect(await stage.read('AGENTS.md')).toBe('Use tabs.\r\n- and spaces\r\n');
  await session.send('hello');
  expect(last(stage)).toContain('- and spaces');
});

it('SF-16: a line for the notes of the agent that the session runs as', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  await stage.write(
    '.claude/agents/keeper.md',
    '---\nname: keeper\ndescription: Keeps.\nmemory: project\n---\nYou keep.',
  );
  const session = await stage.open({ agent: 'keeper', trust: true });
  await session.send('hello');
  const done = await session.execute({ type: 'remember', text: 'the port is 8080', where: 'agent' });
  expect(done).toMatchObject({ ok: true, file: expect.stringMatching(/agent-memory.*keeper.*MEMORY\.md$/) });
  await session.send('go on');
  expect(last(stage)).toContain('the port is 8080');
});

it('GT-4, GT-28: what a rule denies is not written, nor where a link leads out of the project', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  await stage.settings({ permissions: { deny: ['Edit(CLAUDE.local.md)'] } });
  const outside = join(stage.home, 'elsewhere.md');
  await writeFile(outside, 'theirs\n');
  await symlink(outside, join(stage.folder, 'CLAUDE.md'));
  const session = await stage.open();
  const remember = (where: 'project' | 'local') => session.execute({ type: 'remember', text: 'x', where });
  expect(await remember('project')).toMatchObject({ ok: false, reason: expect.stringContaining('leads out') });
  expect(await readFile(outside, 'utf8')).toBe('theirs\n');
  expect(await remember('local')).toMatchObject({ ok: false });
  await expect(stage.read('CLAUDE.local.md')).rejects.toThrow('ENOENT');
});
