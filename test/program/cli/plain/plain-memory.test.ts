/** `/memory` in a line-based session: over pipes, and at a real terminal (ME-5, SF-16). */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeRepository } from '../../../support/worktrees.js';
import { agentFile } from '../../../unit/features/memory/memory-stage.js';
import { setPlainStage } from './plain-stage.js';

async function setStage() {
  const stage = await setPlainStage([]);
  await makeRepository(stage.folder, {
    '.claude/agents/reviewer.md': agentFile('reviewer', 'local'),
    '.claude/agents/writer.md': agentFile('writer', 'project'),
  });
  return stage;
}

const LOCAL = '.claude/agent-memory-local/reviewer';
const SNAPSHOT = '.claude/agent-memory-snapshots/reviewer';

describe('/memory', () => {
  it('ME-5: lists, shows and compares; publishes, takes and goes back; nothing of it is sent to the model', async () => {
    const stage = await setStage();
    await stage.write(`${LOCAL}/MEMORY.md`, 'mine \u001b[2J\n');
    const screen = stage.screen(['--plain', '--trust']);
    await screen.until(/> $/m);
    screen.type('/help\r');
    await screen.until(/\/memory \[VERB AGENT\] +list agent memory/);
    screen.type('/memory\r');
    await screen.until(/reviewer {2}local {2}1 file, 10 bytes, MEMORY\.md 1 line/);
    await screen.until('snapshot: none');
    screen.type('/memory show Reviewer\r');
    await screen.until(/^mine\s*$/m);
    screen.type('/memory publish reviewer\r');
    await screen.until("The memory of reviewer is now the team's snapshot: 1 file changed.");
    screen.type('/memory diff reviewer\r');
    await screen.until("The memory of reviewer and the team's snapshot are the same.");
    await stage.write(`${LOCAL}/MEMORY.md`, 'changed\n');
    screen.type('/memory diff reviewer\r');
    await screen.until(/^-changed$/m);
    screen.type('/memory take reviewer\r');
    await screen.until("reviewer now has the team's snapshot: 1 file changed.");
    await screen.until(/Previous content saved as backup (\S+)\. To restore it: \/memory rollback reviewer \1/);
    expect(await stage.read(`${LOCAL}/MEMORY.md`)).toBe('mine \u001b[2J\n');
    screen.type('/memory rollback reviewer --list\r');
    await screen.until(/1 file: MEMORY\.md/);
    screen.type('/memory rollback reviewer\r');
    await screen.until('Restored a backup of the memory of reviewer: 1 file changed.');
    expect(await stage.read(`${LOCAL}/MEMORY.md`)).toBe('changed\n');
    screen.type('/memory decline reviewer\r');
    await screen.until('Kept your memory of reviewer.');
    expect(screen.raw()).not.toContain('\u001b[2J');
    expect(stage.sim.requests).toHaveLength(0);
  });

  it('SF-3: what is missing, not given or not trusted is reported', async () => {
    const stage = await setStage();
    await stage.write(`${LOCAL}/MEMORY.md`, 'theirs\n');
    const user = join(stage.home, '.claude/agents/scout.md');
    await mkdir(dirname(user), { recursive: true });
    await writeFile(user, agentFile('scout', 'user'));
    const plain = stage.pipe();
    await plain.until(/n {2}no, continue/);
    plain.say('n');
    const wrong = [
      'what',
      'show',
      'take reviewer now',
      'diff',
      'show reviewer MEMORY.md more.md',
      'publish reviewer --scope',
      'take reviewer --force',
      'list reviewer',
      'rollback reviewer 1 --list',
      'show reviewer --scope team',
    ];
    for (const line of wrong) plain.say(`/memory ${line}`);
    for (const line of ['', ' show reviewer', ' show reviewr', ' take scout', ' show scout'])
      plain.say(`/memory${line}`);
    expect(await plain.end()).toBe(0);
    expect(plain.stdout().split('Use /memory, /memory show AGENT [FILE]')).toHaveLength(wrong.length + 1);
    expect(plain.stdout()).toContain('reviewer  local  not read\n');
    expect(plain.stdout().split('is not trusted, so the memory in it is not read')).toHaveLength(3);
    expect(plain.stdout()).toContain('There is no agent "reviewr" with memory here; did you mean reviewer?\n');
    expect(plain.stdout()).toContain('snapshots are what a team agrees on');
    expect(plain.stdout()).toContain('Nothing is noted yet by scout');
    expect(plain.stdout()).not.toContain('theirs');
  });

  it('ME-6: in a session in a worktree it is the main checkout’s', async () => {
    const stage = await setStage();
    await stage.write(`${LOCAL}/MEMORY.md`, 'of main\n');
    await stage.write(`${SNAPSHOT}/MEMORY.md`, 'of the team\n');
    await stage.write(`${SNAPSHOT}/snapshot.json`, '{"updatedAt":"2026-01-02T03:04:05.000Z"}');
    const plain = stage.pipe(['--plain', '--trust', '--worktree', 'fix']);
    plain.say('/memory show reviewer');
    plain.say('/memory take reviewer');
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toContain('of main\n');
    expect(await stage.read(`${LOCAL}/MEMORY.md`)).toBe('of the team\n');
  });
});
