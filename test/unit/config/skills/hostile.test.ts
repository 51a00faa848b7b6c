/** Folders that somebody filled on purpose: nothing waits, grows or is lost with them (EX-2, EX-3). */

import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadSkills } from '../../../../src/config/skills/load-skills.js';
import { loadSkillsBelow } from '../../../../src/config/skills/skills-below.js';
import type { Host } from '../../../../src/host/host.js';
import { plugin, setSkillsStage } from './skills-stage.js';

it('EX-2, EX-3: pipes, devices, links into /proc, circles, huge files and binaries are skipped with a line', async () => {
  const stage = setSkillsStage();
  const skills = join(stage.project, '.claude', 'skills');
  const commands = join(stage.project, '.claude', 'commands');
  stage.skill('project/.claude', 'good');
  stage.command('project/.claude', 'good/too.md');
  for (const name of ['pipe', 'device', 'huge', 'binary', 'broken']) mkdirSync(join(skills, name));
  execFileSync('mkfifo', [join(skills, 'pipe/SKILL.md'), join(commands, 'pipe.md')]);
  symlinkSync('/dev/zero', join(skills, 'device/SKILL.md'));
  symlinkSync('/proc/self/environ', join(commands, 'environ.md'));
  symlinkSync('/proc/self', join(skills, 'process'));
  symlinkSync('..', join(skills, 'circle'));
  symlinkSync('nowhere', join(skills, 'broken/SKILL.md'));
  writeFileSync(join(skills, 'binary/SKILL.md'), new Uint8Array([45, 45, 45, 0, 1]));
  const huge = openSync(join(skills, 'huge/SKILL.md'), 'w');
  ftruncateSync(huge, 8 * 1024 * 1024);
  closeSync(huge);
  const { skills: found, problems } = await loadSkills(stage.question());
  expect([...found.keys()]).toEqual(['good', 'good:too']);
  const folder = join(stage.project, '.claude');
  expect(Object.fromEntries(problems.map(({ file, message }) => [file.slice(folder.length + 1), message]))).toEqual({
    'skills/pipe/SKILL.md': 'skipped: not a regular file',
    'skills/device/SKILL.md': 'skipped: not a regular file',
    'skills/binary/SKILL.md': 'skipped: not a text file (it contains NUL bytes)',
    'skills/broken/SKILL.md': 'skipped: broken link',
    'skills/huge/SKILL.md': expect.stringContaining('it is too large (8388608 bytes'),
    'skills/process': expect.stringContaining('a part of the running system'),
    'commands/environ.md': expect.stringContaining('a part of the running system'),
    'commands/pipe.md': 'skipped: not a regular file',
  });
  for (const { severity } of problems) expect(severity).toBe('error');
});

it('EX-2: of more pipes than anybody reads of, a hundred are reported', async () => {
  const stage = setSkillsStage();
  stage.skill('project/.claude', 'zz');
  const names = Array.from({ length: 150 }, (_, index) => join(stage.project, '.claude', 'skills', `p${index}`));
  for (const name of names) mkdirSync(name);
  execFileSync(
    'mkfifo',
    names.map((name) => join(name, 'SKILL.md')),
  );
  const { skills, problems } = await loadSkills(stage.question());
  expect([...skills.keys()]).toEqual(['zz']);
  expect(problems).toHaveLength(101);
  expect(problems.at(-1)?.message).toBe('more files and folders were skipped');
});

it('EX-2: skills and commands that are files, not folders, are reported', async () => {
  const stage = setSkillsStage();
  stage.write('project/.claude/skills', 'x');
  stage.write('home/.claude/commands', 'x');
  const { skills, problems } = await loadSkills(stage.question());
  expect(skills.size).toBe(0);
  expect(problems.map(({ message }) => message)).toEqual([
    'expected a folder of commands',
    'expected a folder of skills',
  ]);
});

it('EX-2: files that did not change are read once, come to the same, and their text is there', async () => {
  const stage = setSkillsStage();
  for (const name of ['a', 'b']) stage.skill('project/.claude', name, 'effort: huge\n');
  stage.command('home/.claude', 'c/d.md', 'disable-model-invocation: true\n');
  const opened: string[] = [];
  const { files, clock } = stage.host;
  const holdFolder: typeof files.holdFolder = async (path) => {
    opened.push(path);
    return files.holdFolder(path);
  };
  const host: Host = {
    ...stage.host,
    files: { ...files, holdFolder },
    clock: { ...clock, now: () => Date.now() + 60_000 },
  };
  const load = async (trusted = true) => {
    const { skills, untrusted, problems } = await loadSkills(
      stage.question({ host, trusted, overrides: { b: 'user-invocable-only' } }),
    );
    return { skills: [...skills.values()], untrusted, problems };
  };
  const first = await load();
  expect(opened).toHaveLength(3);
  const again = await load();
  expect(opened).toHaveLength(3);
  expect(again).toEqual(first);
  expect(again.skills.map(({ name, prompt, modelInvocable }) => [name, prompt, modelInvocable])).toEqual([
    ['c:d', 'Text.', false],
    ['a', 'Text.', true],
    ['b', 'Text.', false],
  ]);
  expect(again.skills[1]?.folder).toBe(join(stage.project, '.claude/skills/a'));
  expect(again.problems).toHaveLength(2);
  // What was stored while the project was trusted is ignored once it is not.
  const untrusted = await load(false);
  expect(untrusted.skills.map(({ name }) => name)).toEqual(['c:d']);
  expect(untrusted.untrusted.map(({ name, source }) => [name, source.trusted])).toEqual([
    ['a', false],
    ['b', false],
  ]);
  stage.skill('project/.claude', 'a');
  expect((await load()).problems).toHaveLength(1);
});

it('GT-32, EX-9: of a project that is not trusted no file is opened', async () => {
  const stage = setSkillsStage();
  stage.skill('project/.claude', 'a');
  stage.command('project/.claude', 'b/c.md');
  stage.skill('home/.claude', 'mine');
  const opened: string[] = [];
  const { files } = stage.host;
  const holdFolder: typeof files.holdFolder = async (path) => {
    opened.push(path);
    return files.holdFolder(path);
  };
  const host: Host = { ...stage.host, files: { ...files, holdFolder } };
  const { untrusted } = await loadSkills(stage.question({ host, trusted: false }));
  expect(untrusted.map(({ name }) => name)).toEqual(['a', 'b:c']);
  expect(opened).toEqual([join(stage.home, '.claude/skills/mine')]);
});

/** A mebibyte each. What takes a step for every pair of letters does not end before the test does. */
it.each([
  ['comments that are not closed', '<!--'.repeat(250_000)],
  ['blank lines in front matter that is not closed', `---\nname: x\n${'\n'.repeat(1_000_000)}name: y\n`],
  ['blank lines', `x\n${'\n'.repeat(1_000_000)}`],
])('EX-8: a skill full of %s is read as quickly as any', async (_, text) => {
  const stage = setSkillsStage();
  stage.write('project/.claude/skills/a/SKILL.md', text);
  expect([...(await loadSkills(stage.question())).skills.keys()]).toEqual(['a']);
});

it('EX-9: a project takes no name of a plugin', async () => {
  const stage = setSkillsStage();
  const command = stage.command('project/.claude', 'tool/both.md');
  stage.skill('tool', 'both');
  const plugins = [plugin('tool', join(stage.folder, 'tool'))];
  const { skills, shadowed } = await loadSkills(stage.question({ plugins }));
  expect(skills.get('tool:both')?.source.scope).toBe('plugin');
  expect(shadowed.map(({ skill }) => skill.source.file)).toEqual([command]);
});

it.each(['a b', 'a\u001b[31mb', 'a\u202eb', 'a`b'])('EX-9, GT-20: %j is no part of a name', async (folder) => {
  const stage = setSkillsStage();
  stage.skill(`project/${folder}/.claude`, 'deploy');
  stage.skill('project/good/.claude', 'deploy');
  const below = (name: string) =>
    loadSkillsBelow(stage.question(), [join(stage.project, name)], (one) => one === 'deploy');
  expect((await below('good')).skills.map(({ name }) => name)).toEqual(['good:deploy']);
  const { skills, problems } = await below(folder);
  expect(skills).toEqual([]);
  expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining('rename one of them')]);
});
