/** What the team agreed on, and what an agent uses now: at its start, and over three sessions (ME-4, ME-5). */

import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFolderMemory } from '../../../src/engine/open/folder-memory.js';
import type { PermissionQuestion } from '../../../src/protocol/permission.js';
import { eventsOf, expectAllAccepted } from '../../support/story.js';
import { until } from '../../support/until.js';
import { agentCall, begin, requestOf, requestsOf, script, systemOf } from '../agents/agents-script.js';
import { type RepositoryStage, setRepository } from '../worktrees/worktree-stage.js';
import { localMemory, memoryOf, resultOf, reviewer, setReviewer, TASK, write } from './memory-stage.js';

const SNAPSHOT = '.claude/agent-memory-snapshots/reviewer';
const snapshotOf = (text: string, updatedAt: string) => ({
  [`${SNAPSHOT}/MEMORY.md`]: text,
  [`${SNAPSHOT}/snapshot.json`]: JSON.stringify({ updatedAt }),
});
const LOCAL = { memory: 'local' };
const stampOf = async (stage: RepositoryStage) =>
  JSON.parse(await readFile(localMemory(stage, '.snapshot-synced.json'), 'utf8')).syncedFrom;

/** Opens a session whose questions are answered this way, and sends a prompt that starts the agent. */
async function runOnce(stage: RepositoryStage, answer?: 'allow' | 'deny'): Promise<PermissionQuestion[]> {
  const asked: PermissionQuestion[] = [];
  const session = await stage.open({
    trust: true,
    ...(answer === undefined
      ? {}
      : {
          onPermission: async (question: PermissionQuestion) => {
            asked.push(question);
            return { behavior: answer };
          },
        }),
  });
  await session.send(begin());
  await session.close();
  return asked;
}

async function newerSnapshot(stage: RepositoryStage, text: string, updatedAt: string): Promise<void> {
  for (const [name, content] of Object.entries(snapshotOf(text, updatedAt))) await stage.write(name, content);
}

describe('ME-4: at the start of an agent', () => {
  it('ME-4 ME-5: a snapshot and nothing of mine: the agent starts with it, it is copied, and git does not see the copy', async () => {
    const stage = await setReviewer(['Looked.'], LOCAL, snapshotOf('team notes\n', '2026-11-01T10:00:00.000Z'));
    expect(await runOnce(stage, 'deny')).toEqual([]);
    expect(memoryOf(stage)).toContain('team notes');
    expect(memoryOf(stage)).toContain(localMemory(stage));
    expect(await readFile(localMemory(stage, 'MEMORY.md'), 'utf8')).toBe('team notes\n');
    expect(await stampOf(stage)).toBe('2026-11-01T10:00:00.000Z');
    expect(stage.git(['status', '--porcelain', '--untracked-files=all'])).toBe('');
    expect(await stage.read('.git/info/exclude')).toContain('/.claude/agent-memory-local/\n');
  });

  it('ME-4: its first edit of a note finds the copy, however soon it comes', async () => {
    const edit = { tool: 'Edit', input: {} };
    const stage = await setReviewer(
      [
        () => [{ tool: 'Read', input: { file_path: localMemory(stage, 'MEMORY.md') } }],
        () => [
          {
            ...edit,
            input: { file_path: localMemory(stage, 'MEMORY.md'), old_string: 'team', new_string: 'my' },
          },
        ],
        'Done.',
      ],
      LOCAL,
      snapshotOf('team notes\n', '2026-11-01T10:00:00.000Z'),
    );
    await runOnce(stage);
    expect(resultOf(stage, 1)).toMatchObject({ isError: false });
    expect(resultOf(stage, 2)).toMatchObject({ isError: false });
    expect(await readFile(localMemory(stage, 'MEMORY.md'), 'utf8')).toBe('my notes\n');
  });

  it('ME-4: a newer one is asked about; yes takes it and keeps mine next to it', async () => {
    const stage = await setReviewer(['Looked.'], LOCAL, snapshotOf('old notes\n', '2026-11-01T10:00:00.000Z'));
    await runOnce(stage);
    await writeFile(localMemory(stage, 'MEMORY.md'), 'mine\n');
    await newerSnapshot(stage, 'new notes\n', '2026-11-02T10:00:00.000Z');
    const asked = await runOnce(stage, 'allow');
    expect(asked).toMatchObject([{ about: 'memory-snapshot', agent: { type: 'main' } }]);
    expect(asked[0]?.reason).toMatch(
      /^Take the team's notes for reviewer \(the snapshot of 2026-11-02T10:00:00\.000Z is newer/,
    );
    expect(memoryOf(stage, 2)).toContain('new notes');
    expect(await readFile(localMemory(stage, 'MEMORY.md'), 'utf8')).toBe('new notes\n');
    expect(await stampOf(stage)).toBe('2026-11-02T10:00:00.000Z');
    const opened = await openFolderMemory({ cwd: stage.folder, env: stage.env, trust: true });
    if (!opened.ok) throw new Error(opened.reason);
    expect(await opened.memory.rollBack('reviewer')).toMatchObject({ ok: true });
    expect(await readFile(localMemory(stage, 'MEMORY.md'), 'utf8')).toBe('mine\n');
    expect(await runOnce(stage, 'allow')).toEqual([]);
  });

  it('ME-4: three that start at once lead to one question, and all start with what it decided', async () => {
    const tasks = ['TASK alpha', 'TASK beta', 'TASK gamma'];
    const stage = await setRepository(
      script({
        main: [tasks.map((task) => agentCall(task, { subagent_type: 'reviewer' })), 'Done.'],
        ...Object.fromEntries(tasks.map((task) => [task, ['Looked.']])),
      }),
      { '.claude/agents/reviewer.md': reviewer(LOCAL), ...snapshotOf('new notes\n', '2026-11-02T10:00:00.000Z') },
    );
    await stage.write('.claude/agent-memory-local/reviewer/MEMORY.md', 'mine\n');
    expect(await runOnce(stage, 'allow')).toHaveLength(1);
    for (const task of tasks) expect(systemOf(requestOf(stage.sim, task))).toContain('new notes');
  });

  it('ME-4: one that comes while the session is open is asked about at the next start', async () => {
    const tasks = ['TASK alpha', 'TASK beta', 'TASK gamma'];
    const start = (task: string) => [[agentCall(task, { subagent_type: 'reviewer' })], 'Done.'];
    const stage = await setRepository(
      script({
        ...Object.fromEntries(tasks.map((task) => [task, ['Looked.']])),
        ...Object.fromEntries(tasks.map((task) => [`PROMPT ${task.slice(5)}`, start(task)])),
      }),
      {
        '.claude/agents/reviewer.md': reviewer(LOCAL),
        ...snapshotOf('old notes\n', '2026-11-01T10:00:00.000Z'),
      },
    );
    const asked: PermissionQuestion[] = [];
    const onPermission = async (question: PermissionQuestion) => {
      asked.push(question);
      return { behavior: 'allow' } as const;
    };
    const session = await stage.open({ trust: true, onPermission });
    await session.send('PROMPT alpha');
    await until(() => existsSync(localMemory(stage, '.snapshot-synced.json')), 'the copy');
    await newerSnapshot(stage, 'new notes\n', '2026-11-02T10:00:00.000Z');
    await session.send('PROMPT beta');
    await session.send('PROMPT gamma');
    expect(asked).toHaveLength(1);
    const [alpha, beta, gamma] = tasks.map((task) => systemOf(requestOf(stage.sim, task)));
    expect(alpha).toContain('old notes');
    expect(beta).toContain('new notes');
    expect(gamma).toContain('new notes');
  });

  it('ME-5: no keeps mine, and it is not offered again', async () => {
    const stage = await setReviewer(['Looked.'], LOCAL, snapshotOf('old notes\n', '2026-11-01T10:00:00.000Z'));
    await runOnce(stage);
    await newerSnapshot(stage, 'new notes\n', '2026-11-02T10:00:00.000Z');
    expect(await runOnce(stage, 'deny')).toHaveLength(1);
    expect(memoryOf(stage, 2)).toContain('old notes');
    expect(await stampOf(stage)).toBe('2026-11-02T10:00:00.000Z');
    expect(await runOnce(stage, 'allow')).toEqual([]);
    expect(memoryOf(stage, 3)).toContain('old notes');
  });

  it('ME-4: with nobody to ask mine stays, a line reports it, and the next one is asked', async () => {
    const stage = await setReviewer(['Looked.'], LOCAL, snapshotOf('old notes\n', '2026-11-01T10:00:00.000Z'));
    await runOnce(stage);
    await newerSnapshot(stage, 'new notes\n', '2026-11-02T10:00:00.000Z');
    await runOnce(stage);
    expect(memoryOf(stage, 2)).toContain('old notes');
    const lines = eventsOf(stage, 'line-shown').map(({ line }) => line);
    expect(lines).toEqual([expect.stringMatching(/^reviewer keeps its own notes; .*coppice memory diff reviewer/)]);
    expect(await stampOf(stage)).toBe('2026-11-01T10:00:00.000Z');
    expect(await runOnce(stage, 'deny')).toHaveLength(1);
  });

  it('ME-4: a session that runs as the agent reports it at its start, and is informed when it was taken', async () => {
    const stage = await setReviewer(['Looked.'], LOCAL, snapshotOf('old notes\n', '2026-11-01T10:00:00.000Z'));
    await runOnce(stage);
    await newerSnapshot(stage, 'new notes\n', '2026-11-02T10:00:00.000Z');
    const session = await stage.open({ trust: true, agent: 'reviewer' });
    expect(session.warnings.join('\n')).toMatch(/reviewer keeps its own notes/);
    await session.send(TASK);
    const opened = await openFolderMemory({ cwd: stage.folder, env: stage.env, trust: true });
    if (!opened.ok) throw new Error(opened.reason);
    expect(await opened.memory.take('reviewer')).toMatchObject({ ok: true });
    await session.send(TASK);
    const last = requestsOf(stage.sim, TASK).at(-1);
    expect(last && systemOf(last)).toContain('old notes');
    expect(JSON.stringify(last?.body.messages)).toMatch(/Your notes have changed.*new notes/);
  });
});

it('ME-4 ME-5 ME-9: an agent learns, publishes; a second checkout takes the snapshot, changes, merges', async () => {
  const first = await setReviewer(
    [() => [write(localMemory(first, 'MEMORY.md'), '- tests: make check\n- release on Friday\n')], 'Learned.'],
    LOCAL,
  );
  await runOnce(first);
  const memory = async (stage: RepositoryStage) => {
    const opened = await openFolderMemory({ cwd: stage.folder, env: stage.env, trust: true });
    if (!opened.ok) throw new Error(opened.reason);
    return opened.memory;
  };
  expect(await (await memory(first)).publish('reviewer')).toMatchObject({ ok: true, files: ['MEMORY.md'] });
  first.git(['add', '--all']);
  first.git(['commit', '-q', '-m', 'notes of the reviewer']);
  expect(first.git(['show', '--name-only', '--format=']).split('\n')).toEqual([
    `${SNAPSHOT}/MEMORY.md`,
    `${SNAPSHOT}/snapshot.json`,
  ]);

  const second = await setReviewer(
    [
      'Started with the team.',
      () => [{ tool: 'Read', input: { file_path: localMemory(second, 'MEMORY.md') } }],
      () => [
        {
          tool: 'Edit',
          input: {
            file_path: localMemory(second, 'MEMORY.md'),
            old_string: 'Friday\n',
            new_string: 'Friday\n- mind the cache\n',
          },
        },
      ],
      'Learned too.',
      'Merged.',
    ],
    LOCAL,
  );
  second.git([
    'pull',
    '-q',
    '--no-rebase',
    '--allow-unrelated-histories',
    '-X',
    'theirs',
    '--no-edit',
    first.folder,
    'main',
  ]);
  await runOnce(second);
  expect(memoryOf(second)).toContain('- tests: make check\n- release on Friday');
  await runOnce(second);
  expect(await readFile(localMemory(second, 'MEMORY.md'), 'utf8')).toContain('- mind the cache');

  await writeFile(localMemory(first, 'MEMORY.md'), '- tests: just check\n- release on Friday\n');
  expect(await (await memory(first)).publish('reviewer')).toMatchObject({ ok: true });
  first.git(['commit', '-q', '-a', '-m', 'just']);
  second.git(['pull', '-q', '--no-rebase', '--no-edit', first.folder, 'main']);
  const { merge, publish } = await memory(second);
  expect(await publish('reviewer')).toMatchObject({
    ok: false,
    reason: expect.stringContaining('merge or take it first'),
  });
  expect(await merge('reviewer')).toMatchObject({ ok: true, files: ['MEMORY.md'] });
  const merged = '- tests: just check\n- release on Friday\n- mind the cache\n';
  expect(await readFile(localMemory(second, 'MEMORY.md'), 'utf8')).toBe(merged);
  expect(await runOnce(second, 'allow')).toEqual([]);
  const last = requestsOf(second.sim, TASK).at(-1);
  expect(last && systemOf(last)).toContain(merged.trim());
  expect(await publish('reviewer')).toMatchObject({ ok: true });
  expect(await readFile(join(second.folder, SNAPSHOT, 'MEMORY.md'), 'utf8')).toBe(merged);
  expectAllAccepted(first.sim);
  expectAllAccepted(second.sim);
});

it('ME-5: notes of this machine that are in version control are reported once, however many agents have some', async () => {
  const tasks = ['TASK alpha', 'TASK beta', 'TASK gamma'];
  const stage = await setRepository(
    script({
      main: [tasks.map((task, index) => agentCall(task, { subagent_type: `reviewer-${index}` })), 'Done.'],
      ...Object.fromEntries(tasks.map((task) => [task, ['Looked.']])),
    }),
    {
      ...Object.fromEntries(
        tasks.map((_, index) => [
          `.claude/agents/reviewer-${index}.md`,
          reviewer({ name: `reviewer-${index}`, ...LOCAL }),
        ]),
      ),
      '.claude/agent-memory-local/reviewer-1/MEMORY.md': 'theirs\n',
    },
  );
  const session = await stage.open({ trust: true });
  await session.send(begin());
  await session.close();
  const told = eventsOf(stage, 'line-shown').filter(({ line }) => line.includes('in version control'));
  expect(told).toMatchObject([{ level: 'warning', line: expect.stringContaining('reviewer-1/MEMORY.md') }]);
});
