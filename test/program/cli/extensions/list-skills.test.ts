/** `coppice skills list` and `coppice commands list` as a user runs them (EX-9). */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { buildProgram, runProgram } from '../../../support/program.js';
import { scratchFolder } from '../../../support/scratch.js';

beforeAll(buildProgram);

const setUp = async () => {
  const scratch = await scratchFolder();
  const [home, folder] = [join(scratch, 'home'), join(scratch, 'shop')];
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(scratch, path)), { recursive: true });
    await writeFile(join(scratch, path), text);
    return join(scratch, path);
  };
  await mkdir(join(folder, '.git'), { recursive: true });
  await mkdir(home);
  const env = { PATH: process.env.PATH, HOME: home, COPPICE_MANAGED_SETTINGS: join(scratch, 'admin', 'managed.json') };
  const run = (...args: string[]) => runProgram(args, { cwd: folder, env });
  return { write, run, folder };
};
const file = (description: string, more = '') => `---\ndescription: ${description}\n${more}---\nText.\n`;

it('EX-2, EX-3: an empty list shows where to put one', async () => {
  const { run } = await setUp();
  expect(await run('skills', 'list')).toMatchObject({
    code: 0,
    stdout: 'No skills. Create one as .claude/skills/NAME/SKILL.md in the project, or in ~/.claude/skills.\n',
    stderr: '',
  });
  expect(await run('commands', 'list')).toMatchObject({
    code: 0,
    stdout: 'No commands. Create one as .claude/commands/NAME.md in the project, or in ~/.claude/commands.\n',
    stderr: '',
  });
  expect(JSON.parse((await run('skills', 'list', '--json')).stdout)).toEqual({ skills: [], problems: [] });
  expect(JSON.parse((await run('commands', 'list', '--json')).stdout)).toEqual({ commands: [], problems: [] });
});

it('EX-9: each with its scope and file, who may use it, what is shadowed, not trusted or off; control characters show', async () => {
  const { run, write } = await setUp();
  const managed = await write('admin/skills/policy/SKILL.md', file('Ours', 'user-invocable: no\n'));
  const mine = await write(
    'home/.claude/skills/deploy/SKILL.md',
    file(
      '"Ships\\nit \\e[31mred"',
      'argument-hint: [env] [tag]\nallowed-tools: Bash(git log:*), Read\ncontext: fork\n',
    ),
  );
  await write('home/.claude/skills/quiet/SKILL.md', file('Quiet', 'disable-model-invocation: yes\n'));
  await write('home/.claude/skills/gone/SKILL.md', file('Off'));
  await write('home/.claude/settings.json', JSON.stringify({ skillOverrides: { gone: 'off', policy: 'name-only' } }));
  const theirs = await write('shop/.claude/skills/deploy/SKILL.md', file('Theirs', 'effort: huge\n'));
  await write('shop/.claude/commands/web/page.md', file('Makes a page'));
  const before = await run('skills', 'list');
  expect(before.stdout).toBe(
    [
      `deploy [env] [tag]  (user: ${mine})`,
      '  Ships it \\u{1b}[31mred',
      '  for you and the model',
      '  allows Bash(git log:*), Read; runs in a child (general-purpose)',
      `deploy  (project: ${theirs})`,
      '  not used: the folder is not trusted (coppice trust)',
      `gone  (user: ${mine.replace('deploy', 'gone')})`,
      '  Off',
      '  not used: turned off by the setting "skillOverrides"',
      `policy  (managed: ${managed})`,
      '  Ours',
      "  for the model (which sees only its name) only: it can't be typed",
      `quiet  (user: ${mine.replace('deploy', 'quiet')})`,
      '  Quiet',
      "  for you only: the model can't use it",
      '',
    ].join('\n'),
  );
  // Of a folder that is not trusted no file is read.
  expect(before.stderr).toBe('');
  expect((await run('skills', 'list', '--trust')).stderr).toBe(
    `${theirs}:3: warning: effort: expected low, medium, high, xhigh, max, found huge; ignored\n`,
  );
  expect((await run('trust')).code).toBe(0);
  const after = await run('skills', 'list');
  expect(after.stdout).toContain(`deploy  (project: ${theirs})\n  Theirs\n  not used: overridden by ${mine}\n`);
  expect((await run('commands', 'list')).stdout).toMatch(/^web:page {2}\(project: .*page\.md\)\n {2}Makes a page\n/);
  const { skills, problems } = JSON.parse((await run('skills', 'list', '--json')).stdout);
  expect(skills.map(({ name, status }: { name: string; status: string }) => [name, status])).toEqual([
    ['deploy', 'active'],
    ['deploy', 'shadowed'],
    ['gone', 'off'],
    ['policy', 'active'],
    ['quiet', 'active'],
  ]);
  expect(skills[0]).toEqual({
    name: 'deploy',
    kind: 'skill',
    status: 'active',
    shadowedBy: null,
    scope: 'user',
    plugin: null,
    file: mine,
    label: null,
    description: 'Ships\nit \u001b[31mred',
    whenToUse: null,
    argumentHint: '[env] [tag]',
    arguments: [],
    userInvocable: true,
    modelInvocable: true,
    nameOnly: false,
    allowedTools: ['Bash(git log:*)', 'Read'],
    disallowedTools: [],
    model: null,
    effort: null,
    context: 'fork',
    agent: null,
    background: false,
    hooks: [],
    paths: [],
  });
  expect(skills[1]).toMatchObject({ shadowedBy: mine, scope: 'project' });
  for (const one of skills) expect(Object.keys(one)).toEqual(Object.keys(skills[0]));
  expect(problems).toHaveLength(1);
});

it('EX-9: --trust shows them as if the folder were trusted; a wrong flag is a usage error', async () => {
  const { run, write } = await setUp();
  await write('shop/.claude/skills/a/SKILL.md', file('A'));
  expect((await run('skills', 'list')).stdout).toContain('not trusted');
  expect((await run('skills', 'list', '--trust')).stdout).toContain('for you and the model');
  expect((await run('skills', 'list', '--bad')).code).toBe(2);
});
