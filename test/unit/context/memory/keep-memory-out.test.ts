/** Notes of this machine that are in version control all the same: the person is told (ME-5). */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { findMemory } from '../../../../src/context/memory/find-memory.js';
import { keepMemoryOut } from '../../../../src/context/memory/keep-memory-out.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { scratchFolder } from '../../../support/scratch.js';
import { makeRepository } from '../../../support/worktrees.js';

const NOTE = '.claude/agent-memory-local/reviewer/MEMORY.md';

async function setPlace() {
  const { folder, git } = await makeRepository(await scratchFolder(), { f: 'one\n' });
  const host = nodeHost(folder, { ...process.env, COPPICE_REMOTE_MEMORY_DIR: '' });
  const found = await findMemory(host, { scope: 'local', type: 'reviewer', known: [], root: folder });
  if (!found.ok) throw new Error(found.reason);
  const note = () => keepMemoryOut(host, folder, found.place);
  const put = async (name: string, text: string) => {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  };
  return { git, note, put };
}

it('ME-5: notes that a pull replaced, because git ignores them, are told about', async () => {
  const { git, note, put } = await setPlace();
  git('checkout', '-q', '-b', 'theirs');
  await put(NOTE, 'theirs\n');
  git('add', '-f', NOTE);
  git('commit', '-q', '-m', 'notes');
  git('checkout', '-q', '-');
  await put(NOTE, 'mine\n');
  expect(await note()).toBeUndefined();
  // Git does not refuse: it takes what is ignored for expendable.
  git('merge', '-q', 'theirs');
  expect(await note()).toMatch(
    /^"\.claude\/agent-memory-local\/reviewer\/MEMORY\.md": in version control, so a pull .* --cached \.claude\/agent-memory-local, and/,
  );
  git('rm', '-r', '-q', '--cached', '.claude/agent-memory-local');
  expect(await note()).toBeUndefined();
});

it('ME-5: what is committed beside the notes or the snapshot is told about, however many and however named', async () => {
  const { git, note, put } = await setPlace();
  const beside = '.claude/agent-memory-local/.coppice/reviewer/backups/000009';
  for (const name of ['a.md', 'b\n\u001b[2J.md', 'c.md', 'd.md']) await put(`${beside}/${name}`, 'x');
  await put('.claude/agent-memory-snapshots/.coppice/reviewer/base/MEMORY.md', 'x');
  git('add', '-f', '.claude');
  const told = (await note()) ?? '';
  expect(told).toContain('and 2 more: in version control');
  expect(told).not.toMatch(/\p{Cc}/u);
  expect(told).toContain('git rm -r --cached .claude/agent-memory-local .claude/agent-memory-snapshots/.coppice');
});
