/** How often and how lately skills were used, in a real file. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noteSkillUse, readSkillUsage } from '../../../../src/config/skills/skill-usage.js';
import type { Host } from '../../../../src/host/host.js';
import { makeScratch } from '../scratch.js';

const DAY = 24 * 60 * 60 * 1_000;

const START = 1_800_000_000_000;

/** The same machine, so many days later. */
const later = (host: Host, days: number): Host => ({
  ...host,
  clock: Object.assign(Object.create(host.clock) as Host['clock'], { now: () => START + days * DAY }),
});

const ranks = async (host: Host) =>
  Object.fromEntries([...(await readSkillUsage(host))].map(([name, rank]) => [name, rank]));

describe('EX-10: how much a skill is used', () => {
  it('counts uses, and a use weighs half as much after two weeks', async () => {
    const { host, home } = makeScratch();
    expect(await ranks(host)).toEqual({});
    await noteSkillUse(later(host, 0), 'often');
    await noteSkillUse(later(host, 14), 'often');
    await noteSkillUse(later(host, 14), '__proto__');
    const usage = await readSkillUsage(later(host, 28));
    expect([...usage].sort()).toEqual([
      ['__proto__', 0.5],
      ['often', 0.75],
    ]);
    const file = join(home, '.coppice', 'skill-usage.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(home, '.coppice'))).toEqual(['skill-usage.json']);
  });

  it('what was used often long ago falls behind what is used now; a clock that goes back changes nothing', async () => {
    const { host } = makeScratch();
    for (let n = 0; n < 8; n += 1) await noteSkillUse(later(host, n / 1_000), 'old');
    await noteSkillUse(later(host, 60), 'new');
    const usage = await readSkillUsage(later(host, 60));
    expect(usage.get('new')).toBeGreaterThan(usage.get('old') ?? 0);
    expect(await ranks(later(host, 10))).toEqual({ new: 1, old: expect.any(Number) });
    await noteSkillUse(later(host, 10), 'new');
    expect((await readSkillUsage(later(host, 60))).get('new')).toBe(2);
  });

  it('keeps 500 names: the least used goes, never the one just used', async () => {
    const { host, write, home } = makeScratch();
    const skills = Array.from({ length: 500 }, (_, n) => ({ name: `s${n}`, score: n + 2, at: START }));
    write('home/.coppice/skill-usage.json', { version: 1, skills });
    await noteSkillUse(later(host, 0), 'fresh');
    const usage = await readSkillUsage(later(host, 0));
    expect(usage.size).toBe(500);
    expect([usage.has('fresh'), usage.has('s0'), usage.has('s1')]).toEqual([true, false, true]);
    await noteSkillUse(later(host, 0), 'x'.repeat(201));
    expect(JSON.parse(readFileSync(join(home, '.coppice/skill-usage.json'), 'utf8')).skills).toHaveLength(500);
  });

  it.each([
    ['half of it', '{"version": 1, "skills": [{"na'],
    ['another shape', '{"skills": {"a": 1}}'],
    [
      'wrong values',
      '{"skills": [null, 7, {"name": 1}, {"name": "a", "score": "1", "at": 2}, {"name": "b", "score": -1, "at": 2}]}',
    ],
    ['no object', 'null'],
  ])('a damaged file (%s) is an empty one, and the next use makes it whole', async (_, text) => {
    const { host, write, home } = makeScratch();
    write('home/.coppice/skill-usage.json', text);
    expect(await ranks(host)).toEqual({});
    await noteSkillUse(later(host, 0), 'a');
    expect(await ranks(later(host, 0))).toEqual({ a: 1 });
    expect(readdirSync(join(home, '.coppice'))).toEqual(['skill-usage.json']);
  });

  it('a pipe, a folder, a huge file or no home at all: nothing was used, and nothing waits or fails', async () => {
    const { host, home, write } = makeScratch();
    const file = join(home, '.coppice', 'skill-usage.json');
    write('home/.coppice/skill-usage.json', ' '.repeat(2 * 1024 * 1024));
    expect(await ranks(host)).toEqual({});
    execFileSync('rm', [file]);
    execFileSync('mkfifo', [file]);
    expect(await ranks(host)).toEqual({});
    await noteSkillUse(host, 'a');
    execFileSync('rm', [file]);
    mkdirSync(file);
    expect(await ranks(host)).toEqual({});
    await noteSkillUse(host, 'a');
    const homeless = { ...host, env: { COPPICE_HOME: 'relative' } };
    expect(await ranks(homeless)).toEqual({});
    await noteSkillUse(homeless, 'a');
  });
});
