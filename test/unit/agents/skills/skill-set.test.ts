/** The skills of a session, with those found later below the working folder. */

import { describe, expect, it } from 'vitest';
import { explainNoSkill } from '../../../../src/agents/skills/session-skills.js';
import { SkillSet, type SkillSetOptions } from '../../../../src/agents/skills/skill-set.js';
import type { LoadedSkills } from '../../../../src/config/skills/load-skills.js';
import type { Skill } from '../../../../src/config/skills/skill.js';
import { makeSkill } from './make-skill.js';

function makeSet(skills: readonly Skill[], more: Partial<LoadedSkills> = {}, options: Partial<SkillSetOptions> = {}) {
  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  const loaded: LoadedSkills = {
    skills: byName,
    find: (name) => byName.get(name) ?? skills.find((skill) => skill.name.endsWith(`:${name}`)),
    shadowed: [],
    untrusted: [],
    nameOnly: new Set(),
    problems: [],
    stamp: '',
    ...more,
  };
  return new SkillSet({ loaded, projectRoot: '/project', foldersBelow: () => [], below: async () => [], ...options });
}

const names = (skills: readonly Skill[]) => skills.map(({ name }) => name);

describe('EX-10: skills listed to the model at the start', () => {
  it('EX-10 EX-11: not those that only the user may use, and not those that wait for a file', () => {
    const set = makeSet(
      [
        makeSkill('one'),
        makeSkill('mine', { modelInvocable: false }),
        makeSkill('pages', { paths: ['*.tsx'] }),
        makeSkill('two'),
      ],
      { nameOnly: new Set(['two']) },
    );
    expect(set.listed().map(({ skill, nameOnly }) => [skill.name, nameOnly])).toEqual([
      ['one', false],
      ['two', true],
    ]);
    expect(names(set.list())).toEqual(['one', 'mine', 'pages', 'two']);
  });
});

describe('EX-3: an unknown name', () => {
  it('EX-3: resolves to the nearest; one of an untrusted project explains how to trust it', () => {
    const set = makeSet([makeSkill('deploy')], { untrusted: [makeSkill('theirs')] });
    expect(explainNoSkill(set, 'deplyo')).toBe('There is no skill or command "deplyo". Nearest: deploy.');
    expect(explainNoSkill(set, 'quite-another')).toBe('There is no skill or command "quite-another".');
    expect(explainNoSkill(set, 'theirs')).toBe(
      '/theirs is a skill of this project, and the folder is not trusted: `coppice trust` trusts it.',
    );
  });
});

describe('EX-9: what a touched file makes known', () => {
  const below = (found: Readonly<Record<string, readonly Skill[]>>) => {
    const looks: string[][] = [];
    const taken: boolean[] = [];
    return {
      looks,
      taken,
      foldersBelow: (file: string) => Object.keys(found).filter((folder) => file.startsWith(`${folder}/`)),
      below: async (folders: readonly string[], isTaken: (name: string) => boolean) => {
        looks.push([...folders]);
        taken.push(isTaken('deploy'));
        return folders.flatMap((folder) => found[folder] ?? []);
      },
    };
  };

  it('EX-9: each folder is searched once, and reported whenever a file there is touched', async () => {
    const at = below({ '/project/apps': [makeSkill('a')], '/project/apps/web': [makeSkill('apps/web:deploy')] });
    const set = makeSet([makeSkill('deploy')], {}, at);
    expect(names(await set.touched('/project/README.md'))).toEqual([]);
    expect(names(await set.touched('/project/apps/x.ts'))).toEqual(['a']);
    const [first, second] = await Promise.all([
      set.touched('/project/apps/web/x.ts'),
      set.touched('/project/apps/web/y.ts'),
    ]);
    expect([names(first), names(second)]).toEqual([
      ['a', 'apps/web:deploy'],
      ['a', 'apps/web:deploy'],
    ]);
    expect(at.looks).toEqual([['/project/apps'], ['/project/apps/web']]);
    expect(at.taken).toEqual([true, true]);
    expect(names(set.list())).toEqual(['deploy', 'a', 'apps/web:deploy']);
    expect(set.find('apps/web:deploy')?.name).toBe('apps/web:deploy');
    // A file further down names both folders at once.
    const both = below({ '/project/apps': [makeSkill('a')], '/project/apps/web': [makeSkill('b')] });
    const again = makeSet([], {}, both);
    expect(names(await again.touched('/project/apps/web/x.ts'))).toEqual(['a', 'b']);
    expect(names(await again.touched('/project/apps/web/x.ts'))).toEqual(['a', 'b']);
    expect(both.looks).toEqual([['/project/apps', '/project/apps/web']]);
  });

  it('EX-9: one found below is found by its whole name before another by the end of its own', async () => {
    const at = below({ '/project/apps': [makeSkill('build')] });
    const set = makeSet([makeSkill('plugin:build')], {}, at);
    expect(set.find('build')?.name).toBe('plugin:build');
    await set.touched('/project/apps/x.ts');
    expect(set.find('build')?.name).toBe('build');
  });

  it('EX-10 EX-11: with paths: once one matches, hidden folders too, nothing outside the project, each once', async () => {
    const at = below({
      '/project/apps': [makeSkill('styles', { paths: ['**/*.css'] }), makeSkill('own', { modelInvocable: false })],
    });
    const set = makeSet(
      [
        makeSkill('pages', { paths: ['docs/*.md', '**/*.tsx'] }),
        makeSkill('mine', { paths: ['**'], modelInvocable: false }),
        makeSkill('upwards', { paths: ['../**'] }),
      ],
      {},
      at,
    );
    expect(names(await set.touched('/project/apps/a.ts'))).toEqual([]);
    expect(names(await set.touched('/project/apps/a.css'))).toEqual(['styles']);
    expect(names(await set.touched('/project/src/.hidden/a.tsx'))).toEqual(['pages']);
    expect(names(await set.touched('/elsewhere/a.tsx'))).toEqual([]);
  });

  it('EX-9: a skill below that matches is reported once', async () => {
    const both = makeSkill('both');
    const set = makeSet([], {}, below({ '/project/a': [both], '/project/a/b': [both] }));
    expect(names(await set.touched('/project/a/b/c.ts'))).toEqual(['both']);
  });
});
