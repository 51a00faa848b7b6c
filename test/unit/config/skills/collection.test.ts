/** Skills and commands in the shapes of public collections: what each file comes to (EX-2, EX-3, EX-8). */

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadSkills } from '../../../../src/config/skills/load-skills.js';
import { makeScratch } from '../scratch.js';

const FIXTURES = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'skills');

const load = async () => {
  const { host, project } = makeScratch();
  const tools = {
    name: 'tools',
    folder: join(FIXTURES, 'plugin'),
    skills: [join(FIXTURES, 'plugin/skills'), join(FIXTURES, 'plugin/extra/SKILL.md')],
    commands: [join(FIXTURES, 'plugin/commands')],
    isApproved: true,
  };
  const { skills, problems } = await loadSkills({
    host,
    cwd: project,
    repoRoot: project,
    userDir: FIXTURES,
    addDirs: [],
    plugins: [tools],
    trusted: true,
    overrides: {},
  });
  const below = (path: string) => path.slice(FIXTURES.length + 1);
  const told = problems.map(({ file, line, severity, message }) =>
    [below(file), line, severity, message].filter((part) => part !== undefined).join(' · '),
  );
  const found = [...skills.values()].map(({ source, folder, ...fields }) => {
    return { ...fields, scope: source.scope, file: below(source.file), folder: below(folder) };
  });
  return { found, told };
};

/** What a file without fields is. */
const USUAL = {
  argumentNames: [],
  modelInvocable: true,
  userInvocable: true,
  allowedTools: [],
  disallowedTools: [],
  background: false,
  paths: [],
};
const skill = (folder: string, fields: object, file = 'SKILL.md') => ({
  ...USUAL,
  name: folder.split('/').at(-1),
  kind: 'skill',
  scope: 'user',
  file: `${folder}/${file}`,
  folder,
  ...fields,
});
const command = (file: string, fields: object) => ({
  ...USUAL,
  kind: 'command',
  scope: 'user',
  file,
  folder: file.replace(/\/[^/]*$/, ''),
  ...fields,
});

it('EX-2, EX-8: every skill of the collection, field by field', async () => {
  const { found } = await load();
  expect(found.filter(({ kind, scope }) => kind === 'skill' && scope === 'user')).toEqual([
    skill('skills/bare', {
      description: 'This one has no front matter, only two lines of text.',
      prompt: '# Bare\n\nThis one has no front matter,\nonly two lines of text.\n\nAnd more.',
    }),
    skill('skills/described-only', { description: 'Only a description', prompt: '' }),
    skill('skills/documents/office/slides', {
      description: 'Makes slides.',
      allowedTools: ['Read', 'Bash(node build.js:*)', 'Bash(ls, cat)'],
      disallowedTools: ['Write', 'Edit'],
      context: 'fork',
      agent: 'Explore',
      background: true,
      effort: 'high',
      prompt: 'Make slides about $ARGUMENTS.',
    }),
    skill('skills/documents/spreadsheets', {
      label: 'Spreadsheet Helper',
      description: 'Reads tables and writes them again.',
      whenToUse: 'The person names a .csv file',
      allowedTools: ['Read', 'Bash(python3 scripts/table.py:*)', 'Write'],
      paths: ['**/*.csv', 'data/*.{tsv,txt}'],
      prompt: 'Open the table, then do what was asked.',
    }),
    skill('skills/guarded', {
      description: 'Has hooks of its own',
      argumentNames: ['environment', 'tag'],
      hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: './scripts/check.sh' }] }] },
      shell: 'bash',
      prompt: 'Deploy $tag to $environment.',
    }),
    skill(
      'skills/lower-case',
      { description: 'Its file is in lower case', userInvocable: false, prompt: 'Text.' },
      'skill.md',
    ),
    skill('skills/marked', { description: 'Begins with a byte order mark', prompt: 'Text.' }),
    skill('skills/mixed-case', { description: 'Its file is in mixed case', prompt: 'Text.' }, 'Skill.md'),
    skill('skills/release-notes', {
      description:
        'Writes release notes from merged changes. Use when: a version is about to be published, or somebody asks "what changed?"',
      allowedTools: ['Read', 'Grep', 'Bash(git log:*)', 'Bash(git tag --list *)'],
      prompt:
        '# Release notes\n\n1. Run `scripts/collect.sh` in this folder.\n2. Sort the lines as [the style guide](references/style.md) says.\n3. Fill in [the template](assets/template.md).',
    }),
    skill('skills/torn', {
      description: 'never closed',
      modelInvocable: false,
      prompt: 'Text that may have been meant as front matter.',
    }),
    skill('skills/windows', {
      description: 'Written on Windows',
      argumentHint: '[branch]',
      modelInvocable: false,
      prompt: 'First line.\nSecond line.',
    }),
  ]);
});

it('EX-3, EX-8: every command of the collection, field by field', async () => {
  const { found } = await load();
  expect(found.filter(({ kind, scope }) => kind === 'command' && scope === 'user')).toEqual([
    command('commands/frontend/component.md', {
      name: 'frontend:component',
      description: 'Makes a component',
      argumentHint: '[name]',
      prompt: 'Make the component $ARGUMENTS.',
    }),
    command('commands/frontend/deep/story.md', {
      name: 'frontend:deep:story',
      description: 'Makes a story',
      argumentHint: 'add [name] | remove [name]',
      prompt: 'Make a story.',
    }),
    command('commands/plain.md', {
      name: 'plain',
      description: 'Explain $ARGUMENTS to a newcomer.',
      prompt: 'Explain $ARGUMENTS to a newcomer.',
    }),
    command('commands/review.md', {
      name: 'review',
      description: 'Reviews a change',
      argumentHint: '[number] [priority]',
      allowedTools: ['Bash(gh pr view:*)', 'Bash(gh pr diff:*)'],
      model: 'sonnet',
      prompt: 'Review change $1 with priority $2.',
    }),
    command('commands/show-skill.md', {
      name: 'show-skill',
      description: 'Write a skill. It begins like this:',
      prompt:
        'Write a skill. It begins like this:\n\n---\nname: an-example\ndescription: a sample, not the fields of this file\nallowed-tools: Bash\n---',
    }),
  ]);
});

it('EX-8: in a plugin the field `name` names a skill, the file a command; all are plugin:name', async () => {
  const { found } = await load();
  const ofPlugin = found.filter(({ scope }) => scope === 'plugin');
  expect(ofPlugin.map(({ name, label, prompt }) => ({ name, label, prompt }))).toEqual([
    { name: 'tools:deep-audit', prompt: 'Run $' + '{CLAUDE_PLUGIN_ROOT}/bin/audit.' },
    { name: 'tools:odd', label: 'Odd Name!', prompt: 'Text.' },
    { name: 'tools:extra', prompt: 'Text.' },
    { name: 'tools:db:migrate', prompt: 'Migrate.' },
  ]);
});

it('EX-2, EX-8: what is wrong is reported with its file and line, and nothing else is', async () => {
  const { told } = await load();
  expect(told).toEqual([
    'skills/notes.md · warning · skipped: a skill is a folder with SKILL.md in it: move this file to notes/SKILL.md',
    'skills/bare/SKILL.md · 1 · warning · it has no description: its first paragraph is used',
    'skills/described-only/SKILL.md · 1 · warning · it has no text below the front matter: write what to do',
    'skills/lower-case/skill.md · 1 · warning · the file is called skill.md: rename it to SKILL.md',
    'skills/mixed-case/Skill.md · 1 · warning · the file is called Skill.md: rename it to SKILL.md',
    'skills/release-notes/SKILL.md · 3 · warning · not valid YAML (unquoted text contains a ":"), read line by line: put long text in quotes or after "|"',
    'skills/torn/SKILL.md · 3 · warning · not valid YAML (a quote, bracket or ":" is missing), read line by line: put long text in quotes or after "|"',
    'skills/torn/SKILL.md · 3 · warning · the front matter is not closed: add a --- line after it. Until then only you can run it, not the model: a "disable-model-invocation" may be lost',
    'skills/two words/SKILL.md · 1 · error · skipped: the name "two words" must have letters, digits, "-", "_", "." and ":" only: rename the folder',
    'commands/README.md · 1 · warning · skipped: looks like a document, not a command (no front matter)',
    'plugin/skills/odd/SKILL.md · 2 · warning · the name "Odd Name!" must have letters, digits, "-", "_", "." and ":" only: "odd" is used',
  ]);
});
