/** Files go back to before a prompt that is named by its id; a dry run only reports it. */

import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { Rule } from '../../../src/sim/index.js';
import { eventsOf, expectAllAccepted, setStage } from '../../support/story.js';
import { lastSent } from '../../support/wire-body.js';

const WRITES: Rule[] = [
  { when: { result: { tool: 'Write' } }, reply: 'written' },
  {
    when: { user: { matches: 'write (?<file>\\S+) (?<words>\\S+)' } },
    reply: [{ tool: 'Write', input: { file_path: '{{file}}', content: '{{words}}\nsame\n' } }],
  },
  { reply: 'said' },
];

const KEY = 'b0c2a7f4-7c5b-4d0e-9d5f-0a6c1f2e3d41';

it('CL-3: by the id of the prompt: a dry run changes nothing, then the files go back and the conversation stays', async () => {
  const stage = await setStage(WRITES);
  const session = await stage.open({ permissionMode: 'acceptEdits' });
  await session.send('write a.txt one');
  await session.execute({ type: 'prompt', content: 'write a.txt two', key: KEY });
  await session.send('write b.txt new');
  const plan = await session.execute({ type: 'rewind', to: KEY, part: 'files', dryRun: true });
  expect(plan).toMatchObject({ ok: true, insertions: 1, deletions: 3, left: [] });
  expect(plan.ok && plan.files.map(({ path }) => path.slice(stage.folder.length + 1))).toEqual(['a.txt', 'b.txt']);
  expect(await stage.read('a.txt')).toBe('two\nsame\n');
  expect(eventsOf(stage, 'history-rewound')).toEqual([]);
  const done = await session.execute({ type: 'rewind', to: KEY, part: 'files' });
  expect(plan).toEqual({ ...done, patch: expect.stringMatching(/-two\n\+one\n same\n[\s\S]*b\.txt\n/) });
  expect(await stage.read('a.txt')).toBe('one\nsame\n');
  expect(await readdir(stage.folder)).not.toContain('b.txt');
  await session.send('and now?');
  expectAllAccepted(stage.sim);
  expect(lastSent(stage.sim)).toContain('write b.txt new');
});

it('CL-3: an id that no prompt in force has is refused', async () => {
  const stage = await setStage(WRITES);
  const session = await stage.open({ permissionMode: 'acceptEdits' });
  await session.execute({ type: 'prompt', content: 'write a.txt one', key: KEY });
  const unknown = await session.execute({ type: 'rewind', to: 'nothing', part: 'files' });
  expect(unknown).toMatchObject({ ok: false, reason: expect.stringContaining('nothing') });
  expect(await session.execute({ type: 'rewind', to: KEY, part: 'both' })).toMatchObject({ ok: true });
  expect(await session.execute({ type: 'rewind', to: KEY, part: 'files' })).toMatchObject({ ok: false });
});
