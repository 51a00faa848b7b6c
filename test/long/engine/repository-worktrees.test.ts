/** Which worktree is meant, and what a client of a session and of a folder outside git can do with them (WT-12). */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  applyHere,
  listHere,
  removeHere,
  type WorktreesScope,
} from '../../../src/features/worktrees/repository-worktrees.js';
import { createHooks } from '../../../src/gate/hooks/hooks.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { openRecords } from '../../../src/host/worktrees/worktree-record.js';
import { scratchFolder } from '../../support/scratch.js';
import { setStage } from '../../support/story.js';
import { makeRepository } from '../../support/worktrees.js';

function placeAt(folder: string, more: Partial<WorktreesScope> = {}): WorktreesScope {
  const host = nodeHost(folder);
  const base = () => ({ session_id: '', transcript_path: '', cwd: folder, permission_mode: 'default' as const });
  const hooks = createHooks({ host, projectDir: folder, sources: [], base, warn: () => {} });
  return { host, trusted: true, records: join(folder, 'records'), agents: [], hooks, ...more };
}

describe('WT-12 the worktree that is meant', () => {
  it('WT-12: by its name, its agent’s id, the beginning of that if only one has it, or name', async () => {
    const { folder, worktree } = await makeRepository(await scratchFolder(), { f: 'one\n' });
    await worktree('agent-1a2b3c4d', { f: 'two\n' });
    await worktree('agent-1a9f0000', {});
    const agents = [
      { id: '1a2b3c4d5e6f', name: 'writer', worktree: 'agent-1a2b3c4d' },
      { id: '77777777', name: 'reader' },
      { id: '88888888', name: 'gone', worktree: 'agent-88888888' },
    ];
    const place = placeAt(folder, { agents });
    for (const wanted of ['agent-1a2b3c4d', '1a2b3c4d5e6f', 'writer', '1a2']) {
      expect(await applyHere(place, wanted), wanted).toMatchObject({ ok: true, name: 'agent-1a2b3c4d' });
    }
    const reasons: Record<string, unknown> = {
      '1a': '1a may be any of agent-1a2b3c4d, agent-1a9f0000',
      reader: 'agent 77777777 does not work in a worktree',
      gone: 'agent 88888888 has none any more (agent-88888888)',
      'agent-1a2b3c44':
        'there is no worktree agent-1a2b3c44, and no agent of that name with one; did you mean agent-1a2b3c4d?',
      '': expect.stringMatching(/^"" can't be the name of a worktree/),
    };
    for (const [wanted, reason] of Object.entries(reasons)) {
      expect(await applyHere(place, wanted), wanted).toEqual({ ok: false, reason });
    }
  });

  it('WT-12: as commands of a session, with the same results', async () => {
    const stage = await setStage();
    const { worktree } = await makeRepository(stage.folder, { f: 'one\n' });
    await worktree('agent-1a2b3c4d', { f: 'two\n' });
    const session = await stage.open();
    expect(await session.worktrees()).toMatchObject({
      ok: true,
      worktrees: [{ name: 'agent-1a2b3c4d', changedFiles: 1 }],
    });
    expect(await session.applyWorktree('agent-1a2b3c4d')).toMatchObject({
      ok: true,
      changed: [{ path: 'f', how: 'changed' }],
    });
    expect(await session.removeWorktree('agent-1a2b3c4d')).toMatchObject({ ok: false, name: 'agent-1a2b3c4d' });
    expect(await session.removeWorktree('agent-1a2b3c4d', { discard: true })).toMatchObject({ ok: true });
    expect(await session.execute({ type: 'worktrees' })).toMatchObject({ ok: true, worktrees: [] });
    await session.close();
    expect(await session.worktrees()).toEqual({ ok: false, reason: 'the session is closed' });
  });

  it('WT-11: outside git there are those that hooks have made', async () => {
    const folder = await scratchFolder();
    const hooks: WorktreesScope['hooks'] = {
      has: (event) => event === 'WorktreeRemove',
      run: async () => ({ ran: 1, context: [], messages: [{ level: 'warning', hook: 'h', text: 'failed' }] }),
    };
    const place = placeAt(folder, { hooks });
    expect(await listHere(place)).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/not in a git repository/),
    });
    const path = join(folder, 'made');
    await mkdir(path);
    await openRecords(place.host, place.records).write({
      ...{ v: 1, name: 'by-hook', path, branch: '', base: '', start: '', madeBy: 'hook', stage: 'made' },
      ...{ created: new Date().toISOString(), owner: { session: 's' }, from: folder, placed: [], stashes: [] },
    });
    expect(await listHere(place)).toMatchObject({
      ok: true,
      worktrees: [{ name: 'by-hook', state: 'kept', madeBy: 'hook' }],
    });
    expect(await removeHere(place, 'by-hook', { discard: true })).toMatchObject({
      ok: false,
      reasons: ['its WorktreeRemove hook failed: failed', 'h: failed'],
    });
  });
});
