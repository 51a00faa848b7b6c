/** Merging the snapshot into the local memory: three ways, both texts where they meet, and never a conflict marker. */

import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inspectSnapshot } from '../../../../../src/context/memory/snapshots/inspect-snapshot.js';
import { mergeMemory } from '../../../../../src/context/memory/snapshots/merge-memory.js';
import { publishMemory } from '../../../../../src/context/memory/snapshots/publish-memory.js';
import { rollBackMemory } from '../../../../../src/context/memory/snapshots/roll-back-memory.js';
import { declineMemory } from '../../../../../src/context/memory/snapshots/take-memory.js';
import { withEnvironment } from '../../../../../src/host/host.js';
import { memoryStage, replaceAll, snapshotJson, syncedIn, textsOf, treeOf } from './memory-stage.js';
import { diverged, T2 } from './merge-stage.js';

const LINES = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n';

describe('ME-5: merge', () => {
  it('ME-5 brings together what each changed elsewhere', async () => {
    const { host, place, mine } = await diverged(
      { 'a.md': LINES, 'same.md': 's' },
      { 'a.md': LINES.replace('two', 'MINE'), 'same.md': 's', 'new-mine.md': 'm' },
      { 'a.md': LINES.replace('seven', 'TEAM'), 'same.md': 's', 'new-team.md': 't' },
    );
    expect(await mergeMemory(host, place)).toMatchObject({ ok: true, files: ['a.md', 'new-team.md'], notes: [] });
    expect(textsOf(mine)).toEqual({
      'a.md': LINES.replace('two', 'MINE').replace('seven', 'TEAM'),
      'same.md': 's',
      'new-mine.md': 'm',
      'new-team.md': 't',
    });
    expect(syncedIn(mine)).toBe(T2);
    expect(await inspectSnapshot(host, place)).toMatchObject({ state: 'current' });
  });

  it('ME-5 keeps both texts where both changed the same place, mine first, and says how many', async () => {
    const { host, place, mine } = await diverged(
      { 'a.md': LINES },
      { 'a.md': LINES.replace('two', 'my two').replace('seven', 'my seven') },
      { 'a.md': LINES.replace('two', 'their two').replace('seven', 'their seven') },
    );
    expect(await mergeMemory(host, place)).toMatchObject({
      ok: true,
      notes: ['a.md has 2 places with both texts, mine first'],
    });
    const both = LINES.replace('two', 'my two\ntheir two').replace('seven', 'my seven\ntheir seven');
    expect(textsOf(mine)).toEqual({ 'a.md': both });
  });

  it('ME-5 what one side removed and the other left is removed; what the other changed is kept', async () => {
    const base = { 'a.md': 'a', 'b.md': 'b', 'c.md': 'c', 'd.md': 'd', 'e.md': 'e' };
    const { host, place, mine, beside } = await diverged(
      base,
      { 'a.md': 'a', 'c.md': 'changed by me', 'e.md': 'e' },
      { 'b.md': 'b', 'd.md': 'changed by the team', 'e.md': 'e' },
    );
    const before = treeOf(mine);
    const done = await mergeMemory(host, place);
    expect(textsOf(mine)).toEqual({ 'c.md': 'changed by me', 'd.md': 'changed by the team', 'e.md': 'e' });
    expect(done).toMatchObject({ ok: true, backup: expect.anything(), files: ['a.md', 'd.md'] });
    expect(done.ok && done.notes.join('\n')).toMatch(
      /a\.md was removed[\s\S]*b\.md was removed[\s\S]*c\.md stays[\s\S]*d\.md stays/,
    );
    expect(treeOf(join(beside, 'backups', done.ok ? (done.backup ?? '') : ''))).toEqual(before);
  });

  it('ME-5 without a base, nothing is lost and a line that both have is there once', async () => {
    const { host, place, mine } = await memoryStage(
      { 'a.md': 'one\ntwo\nthree\nfour', 'm.md': 'm' },
      { 'a.md': 'zero\ntwo\nthree\nfive', 't.md': 't', 'snapshot.json': snapshotJson(T2) },
    );
    expect(await mergeMemory(host, place)).toMatchObject({
      ok: true,
      notes: ['a.md has 2 places with both texts, mine first'],
    });
    expect(textsOf(mine)).toEqual({ 'a.md': 'one\nzero\ntwo\nthree\nfour\nfive', 'm.md': 'm', 't.md': 't' });
  });

  it('ME-5 what is not text is kept twice', async () => {
    const [a, b] = [Buffer.from([1, 0, 2]), Buffer.from([1, 0, 3])];
    const { host, place, mine } = await memoryStage({ 'a.md': a }, { 'a.md': b, 'snapshot.json': snapshotJson(T2) });
    expect(await mergeMemory(host, place)).toMatchObject({
      ok: true,
      notes: [expect.stringContaining('a.snapshot.md')],
    });
    expect(textsOf(mine)).toEqual({ 'a.md': '\x01\x00\x02', 'a.snapshot.md': '\x01\x00\x03' });
  });

  it('ME-5 the base follows: what was published or merged is not merged again, what was declined or undone is', async () => {
    const { host, place, mine, team } = await diverged(
      { 'a.md': 'a\n' },
      { 'a.md': 'a\n', 'x.md': 'x' },
      { 'a.md': 'a\n' },
    );
    // Published: then the team removes it.
    expect(await publishMemory(host, place, { force: true })).toMatchObject({ ok: true });
    replaceAll(team, { 'a.md': 'a\nnews\n', 'snapshot.json': snapshotJson('2026-12-01T00:00:00Z') });
    await declineMemory(host, place);
    expect(await mergeMemory(host, place)).toMatchObject({ ok: true, files: ['a.md', 'x.md'] });
    expect(textsOf(mine)).toEqual({ 'a.md': 'a\nnews\n' });
    // Undone: the next merge brings it again.
    await rollBackMemory(host, place, {});
    expect(textsOf(mine)).toEqual({ 'a.md': 'a\n', 'x.md': 'x' });
    expect(await inspectSnapshot(host, place)).toMatchObject({ state: 'current' });
    expect(await mergeMemory(host, place)).toMatchObject({ ok: true, files: ['a.md', 'x.md'] });
    expect(textsOf(mine)).toEqual({ 'a.md': 'a\nnews\n' });
  });

  it('ME-5 what the team has as a link was not removed by it: mine stays', async () => {
    const { host, place, mine, team } = await diverged({ 'a.md': 'a', 'b.md': 'b' }, { 'a.md': 'a' }, { 'b.md': 'B' });
    symlinkSync('b.md', join(team, 'a.md'));
    symlinkSync('a.md', join(mine, 'b.md'));
    expect(await mergeMemory(host, place)).toMatchObject({ ok: true });
    expect(textsOf(mine)).toEqual({ 'a.md': 'a', 'b.md': 'B' });
  });

  it('ME-5 without git, where it is needed, nothing is changed', async () => {
    const stage = await diverged({ 'a.md': LINES }, { 'a.md': 'mine' }, { 'a.md': 'team' });
    const before = treeOf(stage.mine);
    const host = withEnvironment(stage.host, { ...stage.host.env, PATH: '/nowhere' });
    expect(await mergeMemory(host, stage.place)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('git is not installed'),
    });
    expect(treeOf(stage.mine)).toEqual(before);
    expect(Object.keys(treeOf(stage.beside) ?? {}).filter((path) => path.startsWith('staging'))).toEqual([]);
  });

  it('ME-5 the configuration of the repository chooses nothing: no program runs, no markers', async () => {
    const stage = await diverged({ 'a.md': LINES }, { 'a.md': 'mine\n' }, { 'a.md': 'team\n' });
    const { execFileSync } = await import('node:child_process');
    const run = (...args: string[]) => execFileSync('git', args, { cwd: stage.root, env: stage.env });
    run('init', '-q');
    run('config', 'merge.conflictStyle', 'diff3');
    run('config', 'merge.default', 'evil');
    run('config', 'merge.evil.driver', `touch ${stage.root}/ran`);
    run('config', 'core.fsmonitor', `touch ${stage.root}/ran`);
    expect(await mergeMemory(stage.host, stage.place)).toMatchObject({ ok: true });
    expect(textsOf(stage.mine)).toEqual({ 'a.md': 'mine\nteam\n' });
    expect(treeOf(stage.root)).not.toHaveProperty('ran');
  });
});
