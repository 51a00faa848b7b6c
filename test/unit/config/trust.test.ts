import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Approval } from '../../../src/config/trust.js';
import { openTrust } from '../../../src/config/trust.js';
import { makeScratch } from './scratch.js';

describe('GT-2: trust per folder', () => {
  it('GT-2: is stored by us, by real path, for us alone', async () => {
    const { host, home, project, folder } = makeScratch();
    const trust = openTrust(host);
    symlinkSync(project, join(folder, 'link'));
    expect(await trust.isTrusted(project)).toBe(false);
    expect(await trust.trust(join(folder, 'link'))).toEqual({ ok: true });
    expect(await trust.isTrusted(project)).toBe(true);
    expect(await openTrust(host).isTrusted(join(folder, 'link'))).toBe(true);
    const file = join(home, '.coppice', 'trust.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, '.coppice')).mode & 0o777).toBe(0o700);
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).folders)).toEqual([project]);
    expect(await trust.distrust(project)).toEqual({ ok: true });
    expect(await trust.isTrusted(project)).toBe(false);
  });

  it('GT-2: covers folders inside, not a sibling of similar name, not a repository cloned into it', async () => {
    const { host, project, folder } = makeScratch();
    const trust = openTrust(host);
    mkdirSync(join(project, 'a', 'b'), { recursive: true });
    mkdirSync(join(folder, 'project-2'));
    mkdirSync(join(project, 'cloned', '.git'), { recursive: true });
    mkdirSync(join(project, 'cloned', 'src'));
    mkdirSync(join(project, 'worktree'));
    writeFileSync(join(project, 'worktree', '.git'), 'gitdir: x');
    await trust.trust(project);
    expect(await trust.isTrusted(join(project, 'a', 'b'))).toBe(true);
    expect(await trust.isTrusted(join(project, 'worktree'))).toBe(true);
    expect(await trust.isTrusted(join(folder, 'project-2'))).toBe(false);
    expect(await trust.isTrusted(folder)).toBe(false);
    expect(await trust.isTrusted(join(project, 'cloned'))).toBe(false);
    expect(await trust.isTrusted(join(project, 'cloned', 'src'))).toBe(false);
  });

  it('GT-2: the home folder, its parents and / cover nothing but themselves', async () => {
    const { host, home, folder, project } = makeScratch();
    const trust = openTrust(host);
    mkdirSync(join(home, 'code'));
    for (const wide of [home, folder, '/']) await trust.trust(wide);
    expect(await trust.isTrusted(home)).toBe(true);
    expect(await trust.isTrusted(join(home, 'code'))).toBe(false);
    expect(await trust.isTrusted(project)).toBe(false);
  });

  it('GT-2: a damaged file trusts nothing, says so, and is set aside, not deleted', async () => {
    const { host, home, project, write } = makeScratch();
    write('home/.coppice/trust.json', '{"version": 1, "folders": {');
    const trust = openTrust(host);
    expect(await trust.isTrusted(project)).toBe(false);
    expect((await trust.problem())?.message).toContain('damaged');
    const result = await trust.trust(project);
    expect(result).toMatchObject({ ok: true, setAside: expect.stringContaining('trust.json.damaged-') });
    expect(await trust.isTrusted(project)).toBe(true);
    expect(await trust.problem()).toBeUndefined();
    expect(readdirSync(join(home, '.coppice'))).toHaveLength(2);
  });

  it('GT-2: a dead process’s lock is taken over', async () => {
    const { host, project, write } = makeScratch();
    const lock = write('home/.coppice/trust.json.lock', 'dead');
    const old = Date.now() / 1000 - 3600;
    utimesSync(lock, old, old);
    expect(await openTrust(host).trust(project)).toEqual({ ok: true });
    expect(existsSync(lock)).toBe(false);
  });

  it('GT-2: a place that cannot be written to is a reason, not an exception', async () => {
    const { host, project, write } = makeScratch();
    write('home/.coppice', 'a file');
    const trust = openTrust(host);
    expect(await trust.trust(project)).toMatchObject({ ok: false, reason: expect.stringContaining('trust.json') });
    expect(await trust.isTrusted(project)).toBe(false);
  });
});

describe('GT-3: approvals are bound to what was approved', () => {
  const server = { kind: 'mcp', name: 'docs', value: { command: 'a', args: ['b'] }, summary: 'a b' } as const;

  it('GT-3: a change asks again; another folder, kind or name is another approval', async () => {
    const { host, project, home } = makeScratch();
    const trust = openTrust(host);
    const isApproved = async (approval: Approval, folder = project) => (await trust.approvals(folder)).has(approval);
    expect(await isApproved(server)).toBe(false);
    await trust.approve(project, [server]);
    expect(await isApproved(server)).toBe(true);
    expect(await isApproved({ ...server, summary: 'other words' })).toBe(true);
    expect(await isApproved({ ...server, value: { command: 'a', args: ['c'] } })).toBe(false);
    expect(await isApproved(server, home)).toBe(false);
    expect(await isApproved({ ...server, kind: 'hook' })).toBe(false);
    expect(await isApproved({ ...server, name: '__proto__' })).toBe(false);
    await trust.distrust(project);
    expect(await isApproved(server)).toBe(false);
  });

  it('GT-3: what was approved under a name before is reported, newest first', async () => {
    const { host, project } = makeScratch();
    const trust = openTrust(host);
    await trust.approve(project, [server, { ...server, name: 'other', summary: 'another' }]);
    expect((await trust.approvals(project)).earlier({ ...server, value: 'new' })).toEqual(['a b']);
  });

  it('GT-3: the hash doesn’t depend on the order of keys, and on everything else', async () => {
    const { host, project } = makeScratch();
    const trust = openTrust(host);
    const isSame = async (approved: unknown, asked: unknown) => {
      await trust.distrust(project);
      await trust.approve(project, [{ ...server, value: approved }]);
      return (await trust.approvals(project)).has({ ...server, value: asked });
    };
    expect(await isSame({ a: 1, b: [1, { c: 2, d: 3 }] }, { b: [1, { d: 3, c: 2 }], a: 1 })).toBe(true);
    expect(await isSame({ a: [1, 2] }, { a: [2, 1] })).toBe(false);
    expect(await isSame('1', 1)).toBe(false);
    expect(await isSame(Number.POSITIVE_INFINITY, null)).toBe(false);
    expect(await isSame(new Date(1), new Date(2))).toBe(false);
    expect(await isSame(JSON.parse('{"__proto__": {"a": 1}}'), {})).toBe(false);
    expect(await isSame('caf\u00e9', 'cafe\u0301')).toBe(false);
  });
});
