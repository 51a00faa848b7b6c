import { mkdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadSkills, skillsWatch } from '../../../../src/config/skills/load-skills.js';
import { foldersBelow, loadSkillsBelow } from '../../../../src/config/skills/skills-below.js';
import { plugin, setSkillsStage } from './skills-stage.js';

describe('EX-9: the same name', () => {
  it('EX-9: managed, user, project from the nearest folder up, --add-dir: the first wins, the rest is shadowed', async () => {
    const stage = setSkillsStage();
    const places = ['managed', 'home/.claude', 'project/sub/.claude', 'project/.claude', 'other/.claude'];
    const files = places.map((place) => stage.skill(place, 'deploy'));
    stage.skill('.claude', 'outside');
    stage.skill('tool', 'deploy');
    const cwd = join(stage.project, 'sub', 'deep');
    mkdirSync(cwd);
    const question = stage.question({
      cwd,
      addDirs: [join(stage.folder, 'other')],
      plugins: [plugin('tool', join(stage.folder, 'tool'))],
    });
    for (const [index, place] of places.entries()) {
      const { skills, shadowed, problems } = await loadSkills(question);
      expect([...skills.keys()].sort()).toEqual(['deploy', 'tool:deploy']);
      expect(skills.get('deploy')).toMatchObject({ description: place, source: { file: files[index] } });
      expect(shadowed.map(({ skill }) => skill.description)).toEqual(places.slice(index + 1));
      for (const { by } of shadowed) expect(by.file).toBe(files[index]);
      expect(problems).toEqual([]);
      rmSync(files[index] ?? '');
    }
  });

  it('EX-9: a skill wins over a command of the same scope, not over one of a stronger scope', async () => {
    const stage = setSkillsStage();
    stage.command('project/sub/.claude', 'a.md');
    stage.skill('project/.claude', 'a');
    stage.command('home/.claude', 'b.md');
    stage.skill('project/.claude', 'b');
    stage.command('home/.claude', 'c.md');
    stage.skill('home/.claude', 'c');
    const { skills } = await loadSkills(stage.question({ cwd: join(stage.project, 'sub') }));
    expect([...skills.values()].map(({ name, kind, source }) => [name, kind, source.scope]).toSorted()).toEqual([
      ['a', 'skill', 'project'],
      ['b', 'command', 'user'],
      ['c', 'skill', 'user'],
    ]);
  });

  it('EX-9: outside a repository only the working folder applies', async () => {
    const stage = setSkillsStage();
    stage.skill('project/.claude', 'above');
    stage.skill('project/sub/.claude', 'here');
    const { repoRoot: _, ...question } = stage.question({ cwd: join(stage.project, 'sub') });
    expect([...(await loadSkills(question)).skills.keys()]).toEqual(['here']);
  });

  it('EX-9: twice in one folder: the first by path applies, and the other is reported', async () => {
    const stage = setSkillsStage();
    const first = stage.skill('project/.claude', 'ops/deploy');
    const second = stage.skill('project/.claude', 'web/deploy');
    const { skills, shadowed, problems } = await loadSkills(stage.question());
    expect(skills.get('deploy')?.source.file).toBe(first);
    expect(shadowed).toHaveLength(1);
    expect(problems).toEqual([
      {
        severity: 'warning',
        file: second,
        line: 1,
        message: `the name "deploy" is already used by ${first}, which wins: rename one of them`,
      },
    ]);
  });

  it('EX-9: our own commands win: such a skill can’t be typed, and is reported; the model may use it', async () => {
    const stage = setSkillsStage();
    const file = stage.skill('project/.claude', 'compact');
    const alias = stage.command('project/.claude', 'quit.md');
    stage.skill('project/.claude', 'clear', 'user-invocable: false\n');
    const { skills, problems } = await loadSkills(stage.question());
    for (const name of ['compact', 'quit', 'clear'])
      expect(skills.get(name)).toMatchObject({ userInvocable: false, modelInvocable: true, prompt: 'Text.' });
    expect(problems.map((one) => [one.file, one.message])).toEqual([
      [file, "/compact is a built-in command, so you can't type it: rename its folder. The model can still use it"],
      [alias, "/quit is a built-in command, so you can't type it: rename the file. The model can still use it"],
    ]);
  });

  it('EX-9: in the home folder the project’s skills are the user’s, read once; a folder given twice is read once', async () => {
    const stage = setSkillsStage();
    stage.skill('home/.claude', 'a');
    stage.command('home/.claude', 'b.md');
    const { repoRoot: _, ...question } = stage.question({
      cwd: stage.home,
      trusted: false,
      addDirs: [stage.home, stage.home],
    });
    const { skills, shadowed, untrusted } = await loadSkills(question);
    expect([...skills.values()].map(({ name, source }) => [name, source.scope])).toEqual([
      ['a', 'user'],
      ['b', 'user'],
    ]);
    expect([shadowed, untrusted]).toEqual([[], []]);
  });
});

describe('EX-3: names', () => {
  it('EX-3: a/b.md is a:b, and b if only one ends so; a plugin’s part too; never a built-in’s name', async () => {
    const stage = setSkillsStage();
    stage.command('home/.claude', 'web/page.md');
    stage.command('home/.claude', 'web/form.md');
    stage.command('home/.claude', 'app/form.md');
    stage.command('home/.claude', 'app/help.md');
    stage.command('home/.claude', 'x/y/deep.md');
    stage.command('home/.claude', 'x/own.md');
    stage.skill('home/.claude', 'own');
    stage.skill('tool', 'audit');
    const loaded = await loadSkills(stage.question({ plugins: [plugin('tool', join(stage.folder, 'tool'))] }));
    const found = (name: string) => loaded.find(name)?.name;
    expect([...loaded.skills.keys()]).toEqual([
      'own',
      'app:form',
      'app:help',
      'web:form',
      'web:page',
      'x:own',
      'x:y:deep',
      'tool:audit',
    ]);
    expect(found('web:page')).toBe('web:page');
    expect(found('page')).toBe('web:page');
    expect(found('form')).toBe(undefined);
    expect(found('app:form')).toBe('app:form');
    expect(found('own')).toBe('own');
    expect(found('deep')).toBe('x:y:deep');
    expect(found('y:deep')).toBe('x:y:deep');
    expect(found('audit')).toBe('tool:audit');
    expect(found('help')).toBe(undefined);
    expect(found('eep')).toBe(undefined);
    expect(found('')).toBe(undefined);
    expect(found('__proto__')).toBe(undefined);
  });

  it('EX-9: letters of all languages, digits and - _ . : are names; others are skipped and reported', async () => {
    const stage = setSkillsStage();
    for (const name of ['été', 'v1.2', 'a_b-c', 'a:b', '日本']) stage.skill('home/.claude', name);
    const odd = ['a b', 'a$b', '(x)', '-', 'a‮b'].map((name) => stage.skill('home/.claude', name));
    stage.command('home/.claude', 'sub folder/x.md');
    const { skills, problems } = await loadSkills(stage.question());
    expect([...skills.keys()].toSorted()).toEqual(['a:b', 'a_b-c', 'v1.2', 'été', '日本']);
    expect(problems).toHaveLength(odd.length + 1);
    for (const { severity, message } of problems)
      expect([severity, message]).toEqual(['error', expect.stringMatching(/must have letters, .*: rename the f/)]);
  });
});

describe('EX-10: overrides', () => {
  it('EX-10: off, user-invocable-only, name-only and on; a weaker one of the name does not step in', async () => {
    const stage = setSkillsStage();
    for (const name of ['a', 'b', 'c', 'd', 'e']) stage.skill('home/.claude', name);
    stage.skill('project/.claude', 'a');
    stage.skill('home/.claude', 'mine', 'disable-model-invocation: true\n');
    const overrides = {
      a: 'off',
      b: 'user-invocable-only',
      c: 'name-only',
      d: 'on',
      mine: 'on',
      nobody: 'name-only',
    } as const;
    const { skills, nameOnly, problems } = await loadSkills(stage.question({ overrides }));
    expect(
      [...skills.values()].map(({ name, modelInvocable, userInvocable }) => [name, modelInvocable, userInvocable]),
    ).toEqual([
      ['b', false, true],
      ['c', true, true],
      ['d', true, true],
      ['e', true, true],
      ['mine', false, true],
    ]);
    expect([...nameOnly]).toEqual(['c']);
    expect(problems).toEqual([]);
  });
});

describe('EX-9: a project that is not trusted', () => {
  it('EX-9, GT-2: its skills are apart, win over nothing, and their problems are marked', async () => {
    const stage = setSkillsStage();
    stage.skill('project/.claude', 'theirs', 'effort: huge\n');
    stage.write('project/.claude/skills/stray.md', 'x');
    stage.skill('project/.claude', 'both');
    stage.skill('other/.claude', 'added');
    stage.skill('project/sub/.claude', 'below');
    stage.skill('tool', 'both');
    const question = stage.question({
      trusted: false,
      addDirs: [join(stage.folder, 'other')],
      plugins: [plugin('tool', join(stage.folder, 'tool'), false)],
    });
    const { skills, untrusted, shadowed, problems, find } = await loadSkills(question);
    expect([...skills.keys()]).toEqual(['tool:both']);
    expect(skills.get('tool:both')?.source.trusted).toBe(false);
    expect(untrusted.map(({ name }) => name)).toEqual(['both', 'theirs', 'added']);
    expect(untrusted.map(({ description }) => description)).toEqual(['', '', '']);
    expect(shadowed).toEqual([]);
    expect(find('theirs')).toBe(undefined);
    expect(problems).toMatchObject([{ untrusted: true }]);
    expect(
      await loadSkillsBelow(question, foldersBelow(stage.project, join(stage.project, 'sub/x.ts')), () => false),
    ).toEqual({
      skills: [],
      problems: [],
    });
  });

  it('EX-9: its links that lead out are not followed; of a trusted one they are', async () => {
    const stage = setSkillsStage();
    stage.skill('elsewhere', 'secret');
    stage.skill('project/.claude', 'own');
    const skills = join(stage.project, '.claude', 'skills');
    symlinkSync(join(stage.folder, 'elsewhere/skills/secret'), join(skills, 'linked'));
    symlinkSync('own', join(skills, 'same'));
    symlinkSync(join(stage.folder, 'elsewhere/skills'), join(stage.project, '.claude', 'commands'));
    const untrusted = await loadSkills(stage.question({ trusted: false }));
    expect(untrusted.untrusted.map(({ name }) => name)).toEqual(['own']);
    expect(untrusted.problems.map(({ message }) => message)).toEqual([
      'skipped: a link that points outside an untrusted project',
      'skipped: a link that points outside an untrusted project',
    ]);
    const inside = await loadSkills(stage.question({ staysInside: true }));
    expect([...inside.skills.keys()]).toEqual(['own']);
    const trusted = await loadSkills(stage.question());
    expect([...trusted.skills.values()].map(({ name, folder }) => [name, folder])).toEqual([
      ['linked', join(stage.folder, 'elsewhere/skills/secret')],
      ['own', join(skills, 'own')],
      ['secret:SKILL', join(stage.folder, 'elsewhere/skills/secret')],
    ]);
  });
});

describe('EX-9: below the working folder', () => {
  it('EX-9: found on the way to a touched file, the outermost first; a name that is taken gets its folder', async () => {
    const stage = setSkillsStage();
    stage.skill('project/.claude', 'deploy');
    stage.skill('project/apps/.claude', 'lint');
    stage.skill('project/apps/web/.claude', 'deploy');
    stage.command('project/apps/web/.claude', 'ui/lint.md');
    stage.skill('project/apps/web/.claude', 'lint');
    stage.skill('project/apps/web/.claude', 'off');
    stage.command('project/apps/web/.claude', 'help.md');
    stage.skill('project/apps/api/.claude', 'unrelated');
    const question = stage.question({ overrides: { off: 'off' } });
    const { skills } = await loadSkills(question);
    const below = await loadSkillsBelow(
      question,
      foldersBelow(stage.project, join(stage.project, 'apps/web/src/a.ts')),
      (name) => skills.has(name),
    );
    expect(below.skills.map(({ name, description, userInvocable }) => [name, description, userInvocable])).toEqual([
      ['lint', 'project/apps/.claude', true],
      ['apps/web:deploy', 'project/apps/web/.claude', true],
      ['apps/web:lint', 'project/apps/web/.claude', true],
      ['help', 'project/apps/web/.claude', false],
      ['ui:lint', 'project/apps/web/.claude', true],
    ]);
    expect(below.skills[1]?.prompt).toBe('Text.');
    expect(below.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('/help is a built-in command'),
    ]);
  });

  it('EX-9: nothing of dependencies, hidden folders, the working folder itself, or what lies outside', async () => {
    const stage = setSkillsStage();
    for (const place of ['node_modules/x', '.cache', '.', '../out', 'a/node_modules/y'])
      stage.skill(`project/${place}/.claude`, 'nested');
    const below = async (file: string) =>
      (
        await loadSkillsBelow(stage.question(), foldersBelow(stage.project, join(stage.project, file)), () => false)
      ).skills.map(({ name }) => name);
    for (const file of ['node_modules/x/i.js', '.cache/i.js', 'i.js', '../out/i.js', 'a/node_modules/y/i.js', '.'])
      expect(await below(file)).toEqual([]);
  });
});

describe('EX-9: changes', () => {
  it('EX-9: a change is seen when a file comes, goes or is written, once each, and only then', async () => {
    const stage = setSkillsStage();
    const file = stage.skill('project/.claude', 'a');
    const question = stage.question({ plugins: [plugin('tool', join(stage.folder, 'tool'))] });
    const changed = skillsWatch(question, await loadSkills(question));
    expect(await changed()).toBe(false);
    const twice = async () => [await changed(), await changed()];
    utimesSync(file, 1, 1);
    expect(await twice()).toEqual([true, false]);
    stage.command('home/.claude', 'deep/b.md');
    expect(await twice()).toEqual([true, false]);
    stage.skill('tool', 'x');
    expect(await twice()).toEqual([true, false]);
    stage.write('project/.claude/skills/a/scripts/run.sh', 'x');
    expect(await twice()).toEqual([false, false]);
    rmSync(file);
    expect(await twice()).toEqual([true, false]);
  });
});

it('EX-17 EX-19: a link out of a plugin is not followed, though the project is trusted', async () => {
  const stage = setSkillsStage();
  stage.skill('plugin', 'own');
  stage.skill('outside', 'out');
  symlinkSync(join(stage.folder, 'outside/skills/out'), join(stage.folder, 'plugin/skills/out'));
  const { skills } = await loadSkills(stage.question({ plugins: [plugin('p', join(stage.folder, 'plugin'))] }));
  expect([...skills.keys()]).toEqual(['p:own']);
});
