/** Going back: the conversation, the files, or both, to before a prompt. */

import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../src/sim/index.js';
import { eventsOf, expectAllAccepted, readTranscript, setStage } from '../../support/story.js';
import { lastSent } from '../../support/wire-body.js';

/** `write NAME WORDS`: does so and answers. */
const WRITES: Rule[] = [
  { when: { result: { tool: 'Write' } }, reply: 'written' },
  { when: { result: { tool: 'Edit' } }, reply: 'edited' },
  { when: { result: { tool: 'Read' } }, reply: 'read' },
  {
    when: { user: { matches: 'write (?<file>\\S+) (?<words>\\S+)' } },
    reply: [{ thinking: 'I write.' }, { tool: 'Write', input: { file_path: '{{file}}', content: '{{words}}\n' } }],
  },
  { reply: 'said' },
];

const EDITS = { permissionMode: 'acceptEdits' } as const;

describe('rewind', () => {
  it('DU-23: takes conversation and files back to before a prompt, as a record, and what was sent before is repeated', async () => {
    const stage = await setStage(WRITES);
    const session = await stage.open(EDITS);
    await session.send('write a.txt one');
    await session.send('write a.txt two');
    await session.send('write b.txt new');
    expect((await session.prompts()).map(({ words }) => words)).toEqual([
      'write a.txt one',
      'write a.txt two',
      'write b.txt new',
    ]);
    const before = (await readTranscript(session.transcript)).length;
    const rewound = await session.rewind({ to: 2, part: 'both' });
    expect(rewound).toMatchObject({ ok: true, conversation: true, left: [] });
    expect(await stage.read('a.txt')).toBe('one\n');
    expect(await readdir(stage.folder)).not.toContain('b.txt');
    await session.send('and now?');
    expectAllAccepted(stage.sim);
    expect(lastSent(stage.sim)).toContain('write a.txt one');
    expect(lastSent(stage.sim)).not.toContain('write a.txt two');
    expect(lastSent(stage.sim)).not.toContain('write b.txt new');
    const records = await readTranscript(session.transcript);
    expect(records.length).toBeGreaterThan(before);
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1));
    expect((await session.prompts()).map(({ words }) => words)).toEqual(['write a.txt one', 'and now?']);
  });

  it('DU-23: a resumed session comes back as it was rewound, and can be rewound again to before the rewind', async () => {
    const stage = await setStage(WRITES);
    const first = await stage.open(EDITS);
    await first.send('write a.txt one');
    await first.send('write a.txt two');
    await first.rewind({ to: 2, part: 'conversation' });
    expect(await stage.read('a.txt')).toBe('two\n');
    await first.send('third');
    const live = lastSent(stage.sim);
    await first.close();
    const again = await stage.open({ resume: first.id, ...EDITS });
    await again.send('fourth');
    expectAllAccepted(stage.sim);
    const messages = (raw: string) => JSON.parse(raw).messages as unknown[];
    const bare = (raw: string) => JSON.stringify(messages(raw)).replace(/,"cache_control":\{[^}]*\}/g, '');
    expect(bare(lastSent(stage.sim)).startsWith(bare(live).slice(0, -1))).toBe(true);
    expect(await again.rewind({ to: 1, part: 'both' })).toMatchObject({ ok: true });
    expect(await readdir(stage.folder)).not.toContain('a.txt');
    await again.send('from the start');
    expectAllAccepted(stage.sim);
    expect(messages(lastSent(stage.sim))).toHaveLength(1);
    expect(lastSent(stage.sim)).toContain('Working folder');
  });

  it('DU-23: files alone go back, and forward again to a later prompt', async () => {
    const stage = await setStage(WRITES);
    const session = await stage.open(EDITS);
    await session.send('write a.txt one');
    await session.send('write b.txt one');
    await session.rewind({ to: 1, part: 'files' });
    expect(await readdir(stage.folder)).not.toContain('a.txt');
    expect(await session.rewind({ to: 2, part: 'files' })).toMatchObject({ ok: true, left: [] });
    expect(await stage.read('a.txt')).toBe('one\n');
    expect(await readdir(stage.folder)).not.toContain('b.txt');
  });

  it('DU-23: what others changed since is not overwritten without a word', async () => {
    const stage = await setStage(WRITES);
    await stage.write('a.txt', 'zero\n');
    const session = await stage.open({ ...EDITS, onPermission: async () => ({ behavior: 'allow' }) });
    await stage.sim.use([
      { when: { user: 'look' }, reply: [{ tool: 'Read', input: { file_path: 'a.txt' } }] },
      ...WRITES,
    ]);
    await session.send('look');
    await session.send('write a.txt one');
    await session.send('write b.txt one');
    await writeFile(join(stage.folder, 'a.txt'), 'mine\n');
    const asked: string[] = [];
    const left = await session.rewind({
      to: 2,
      part: 'files',
      mayOverwrite: async (path) => {
        asked.push(path);
        return false;
      },
    });
    expect(left).toMatchObject({ ok: true, conversation: false, left: [{ path: join(stage.folder, 'a.txt') }] });
    expect(asked).toEqual([join(stage.folder, 'a.txt')]);
    expect(await stage.read('a.txt')).toBe('mine\n');
    expect(await readdir(stage.folder)).not.toContain('b.txt');
    const taken = await session.rewind({ to: 2, part: 'files', mayOverwrite: async () => true });
    expect(taken).toMatchObject({ ok: true, left: [] });
    expect(await stage.read('a.txt')).toBe('zero\n');
    // What was there is kept: nothing is deleted for good.
    const [rewound] = eventsOf(stage, 'history-rewound').slice(-1);
    const kept = join(session.transcript.replace(/\.jsonl$/, ''), 'files');
    expect(await readdir(kept)).toContain(rewound?.files[0]?.from);
  });

  it('DU-23: content is kept once by its hash, before the change, for children too', async () => {
    const stage = await setStage([
      {
        when: { user: 'delegate' },
        reply: [{ tool: 'Agent', input: { description: 'x', prompt: 'write c.txt child' } }],
      },
      { when: { result: { tool: 'Agent' } }, reply: 'handed out' },
      ...WRITES,
    ]);
    await stage.write('c.txt', 'same\n');
    await stage.write('d.txt', 'same\n');
    const session = await stage.open({ permissionMode: 'bypassPermissions' });
    await stage.sim.use([
      {
        when: { user: 'look' },
        reply: ['c.txt', 'd.txt'].map((name) => ({ tool: 'Read', input: { file_path: name } })),
      },
      {
        when: { user: 'delegate' },
        reply: [{ tool: 'Agent', input: { description: 'x', prompt: 'write e.txt child' } }],
      },
      { when: { result: { tool: 'Agent' } }, reply: 'handed out' },
      ...WRITES,
    ]);
    await session.send('look');
    await session.send('write c.txt one');
    await session.send('write d.txt one');
    await session.send('delegate');
    expect(await stage.read('e.txt')).toBe('child\n');
    const kept = eventsOf(stage, 'file-kept');
    expect(kept).toHaveLength(3);
    expect(new Set(kept.slice(0, 2).map(({ sha256 }) => sha256)).size).toBe(1);
    expect(kept[2]).toMatchObject({ sha256: null });
    expect(kept[2]?.agent).not.toBe('main');
    const folder = join(session.transcript.replace(/\.jsonl$/, ''), 'files');
    expect(await readdir(folder)).toEqual([kept[0]?.sha256]);
    expect(await session.rewind({ to: 2, part: 'both' })).toMatchObject({ ok: true, left: [] });
    expect([await stage.read('c.txt'), await stage.read('d.txt')]).toEqual(['same\n', 'same\n']);
    expect(await readdir(stage.folder)).not.toContain('e.txt');
  });

  it('DU-23: content that can not be kept is not changed', async () => {
    const stage = await setStage(WRITES);
    await stage.write('a.txt', 'precious\n');
    await stage.sim.use([
      { when: { user: 'look' }, reply: [{ tool: 'Read', input: { file_path: 'a.txt' } }] },
      ...WRITES,
    ]);
    const session = await stage.open(EDITS);
    await session.send('look');
    // A file stands where the folder of kept files should be.
    await writeFile(join(session.transcript.replace(/\.jsonl$/, ''), 'files'), 'in the way');
    await session.send('write a.txt lost');
    expect(await stage.read('a.txt')).toBe('precious\n');
    expect(lastSent(stage.sim)).toContain('could not be saved for a rewind');
    await rm(join(session.transcript.replace(/\.jsonl$/, ''), 'files'));
    await session.send('write a.txt gone');
    expect(await stage.read('a.txt')).toBe('gone\n');
  });

  it('DU-23: goes back behind a compaction: the originals are still there', async () => {
    const stage = await setStage([
      { when: { user: '<compaction>' }, reply: 'SUMMARY' },
      { when: { user: 'big' }, reply: `noted ${'word '.repeat(9_000)}` },
      ...WRITES,
    ]);
    await stage.settings({ models: { 'claude-opus-5-5': { context: 14_000, maxOutput: 1_000 } } });
    const session = await stage.open(EDITS);
    await session.send('first words');
    await session.send('big one');
    await session.send('after it');
    expect(eventsOf(stage, 'history-compacted')).toHaveLength(1);
    expect(lastSent(stage.sim)).not.toContain('first words');
    expect(await session.rewind({ to: 2, part: 'conversation' })).toMatchObject({ ok: true });
    await session.send('again');
    expectAllAccepted(stage.sim);
    expect(lastSent(stage.sim)).toContain('first words');
    expect(lastSent(stage.sim)).not.toContain('SUMMARY');
  });

  it('shows what there is when there is no such prompt', async () => {
    const stage = await setStage(WRITES);
    const session = await stage.open();
    expect(await session.rewind({ to: 1, part: 'both' })).toMatchObject({ ok: false });
    await session.send('hello');
    expect(await session.rewind({ to: 7, part: 'both' })).toMatchObject({
      ok: false,
      reason: expect.stringContaining('7'),
    });
  });
});
