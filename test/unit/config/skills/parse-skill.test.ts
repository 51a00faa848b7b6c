import { describe, expect, it } from 'vitest';
import { parseSkill } from '../../../../src/config/skills/parse-skill.js';
import type { Skill } from '../../../../src/config/skills/skill.js';
import fc from '../../../support/fast-check.js';

const parseText = (text: string, kind: Skill['kind'] = 'skill') =>
  parseSkill(text, {
    kind,
    name: 'x',
    place: { folder: '/u/skills/x', source: { scope: 'user', file: '/u/skills/x/SKILL.md', trusted: true } },
  });
const parse = (fields: string, kind?: Skill['kind']) => parseText(`---\ndescription: d\n${fields}\n---\nText.\n`, kind);
const told = ({ problems }: ReturnType<typeof parseText>) => problems.map(({ line, message }) => `${line}: ${message}`);

describe('EX-8: fields', () => {
  it.each([
    ['when-to-use: a', { whenToUse: 'a' }],
    ['whenToUse: a', { whenToUse: 'a' }],
    ['when_to_use: a', { whenToUse: 'a' }],
    ['Argument_Hint: <file> [--fast]', { argumentHint: '<file> [--fast]' }],
    ['argument-hint: [a] [b]', { argumentHint: '[a] [b]' }],
    ["argument-hint: [it's] [b]", { argumentHint: "[it's] [b]" }],
    ['arguments: issue branch', { argumentNames: ['issue', 'branch'] }],
    ['arguments: issue, branch', { argumentNames: ['issue', 'branch'] }],
    ['arguments: [issue, branch]', { argumentNames: ['issue', 'branch'] }],
    ['arguments: <issue> $branch', { argumentNames: ['issue', 'branch'] }],
    ['arguments:\n  - name: issue\n    required: true\n  - branch', { argumentNames: ['issue', 'branch'] }],
    ['disable-model-invocation: true', { modelInvocable: false }],
    ['disableModelInvocation: "yes"', { modelInvocable: false }],
    ['disable_model_invocation: on', { modelInvocable: false }],
    ['disable-model-invocation: 1', { modelInvocable: false }],
    ['disable-model-invocation: off', { modelInvocable: true }],
    ['disable-model-invocation: no', { modelInvocable: true }],
    ['disable-model-invocation: 0', { modelInvocable: true }],
    ['user-invocable: no', { userInvocable: false }],
    ['user_invocable: 0', { userInvocable: false }],
    ['userInvocable: on', { userInvocable: true }],
    ['background: 1', { background: true }],
    ['model: claude-x-1', { model: 'claude-x-1' }],
    ['model: Opus', { model: 'opus' }],
    ['effort: max', { effort: 'max' }],
    ['context: Fork', { context: 'fork' }],
    ['agent: code-reviewer', { agent: 'code-reviewer' }],
    ['shell: powershell', { shell: 'powershell' }],
    ['paths: src/**/*.{ts,tsx}, lib/**', { paths: ['src/**/*.{ts,tsx}', 'lib/**'] }],
    ['paths: [a/**, "b c/*.md"]', { paths: ['a/**', 'b c/*.md'] }],
    ['name: Another Name', { name: 'x', label: 'Another Name' }],
    [
      'hooks:\n  Stop:\n    - hooks: [{type: command, command: ls}]',
      { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'ls' }] }] } },
    ],
  ])('EX-8: %s', (fields, expected) => {
    const parsed = parse(fields);
    expect(parsed.definition).toMatchObject({ description: 'd', prompt: 'Text.', ...expected });
    expect(told(parsed)).toEqual([]);
  });

  it.each([
    ['Read Grep Glob', ['Read', 'Grep', 'Glob']],
    ['Read, Bash(git log:*), mcp__github__get', ['Read', 'Bash(git log:*)', 'mcp__github__get']],
    ['Bash(git log:*) Bash(npm run test:*)', ['Bash(git log:*)', 'Bash(npm run test:*)']],
    ['[Read, Bash(git add:*)]', ['Read', 'Bash(git add:*)']],
    ['["Bash(git log --oneline:*)", \'Read\']', ['Bash(git log --oneline:*)', 'Read']],
    ['[Bash(a b, c d), Read]', ['Bash(a b, c d)', 'Read']],
    ['\n  - Read\n  - Bash(git log:*)', ['Read', 'Bash(git log:*)']],
    ['\n  - Read, Write\n  - Edit', ['Read', 'Write', 'Edit']],
    ['Read,Read', ['Read']],
    ['[]', []],
    ['', []],
    // Torn apart, it would allow every command.
    ['Bash (git log:*), Read', ['Bash(git log:*)', 'Read']],
  ])('EX-8: allowed-tools: %s', (written, expected) => {
    for (const key of ['allowed-tools', 'allowed_tools', 'allowedTools']) {
      const parsed = parse(`${key}: ${written}`);
      expect(parsed.definition?.allowedTools).toEqual(expected);
      expect(told(parsed)).toEqual([]);
    }
    expect(parse(`disallowed-tools: ${written}`).definition?.disallowedTools).toEqual(expected);
  });

  it('EX-8: a list that is no YAML is still a list', () => {
    const parsed = parse('paths: [src/*.{ts,tsx}, lib/**]\nallowed-tools: [Read, Bash(git: *)]');
    expect(parsed.definition).toMatchObject({
      paths: ['src/*.{ts,tsx}', 'lib/**'],
      allowedTools: ['Read', 'Bash(git: *)'],
      modelInvocable: true,
    });
    expect(told(parsed)).toEqual([expect.stringContaining('3: not valid YAML')]);
  });

  it('EX-8: `inherit` is no model', () => {
    expect(parse('model: inherit').definition).not.toHaveProperty('model');
  });

  it('EX-3: a command has neither name nor paths', () => {
    const parsed = parse('name: other\npaths: a/**', 'command');
    expect(parsed.definition).toMatchObject({ name: 'x', kind: 'command', paths: [] });
    expect(parsed.definition).not.toHaveProperty('label');
    expect(told(parsed)).toEqual(['4: paths is ignored: commands have none (make it a skill to use them)']);
  });
});

describe('EX-8: what is wrong', () => {
  it.each([
    ['user-invocable: maybe', '3: user-invocable: expected true or false, found maybe; it can be typed'],
    ['allowed-tools: 5', '3: allowed-tools: expected a list of tools, found 5; nothing is allowed by it'],
    [
      'allowed-tools: {Read: true}',
      '3: allowed-tools: expected a list of tools, found {"Read":true}; nothing is allowed by it',
    ],
    ['allowed-tools: Read, Bash(git log', '3: allowed-tools: a ")" is missing in "Bash(git log": it is left out'],
    ['effort: huge', '3: effort: expected low, medium, high, xhigh, max, found huge; ignored'],
    ['context: inline', '3: context: expected fork, found inline; it runs in the conversation'],
    ['model: opus or sonnet', '3: model: expected one name of a model, found opus or sonnet; the session’s is used'],
    ['hooks: [1]', '3: hooks: expected hooks as in a settings file, found [1]; its hooks are ignored'],
    ['arguments: {a: b}', '3: arguments: expected names, found {"a":"b"}; ignored'],
    [
      'arguments: [a, "b!", a]',
      '3: arguments: "b!" is not a valid name, or is a duplicate: use letters, digits, - and _',
    ],
    ['shell: zsh', '3: shell: expected bash or powershell, found zsh; bash is used'],
    ['paths: 7', '3: paths: expected a list of patterns, found 7; ignored'],
    ['alowed-tools: Read\nmodle: opus', '3: unknown field alowed-tools, ignored: did you mean allowed-tools?'],
  ])('EX-8: %s', (fields, message) => {
    const parsed = parse(fields);
    expect(told(parsed)).toEqual([message]);
    expect(parsed.definition).toMatchObject({ modelInvocable: true, userInvocable: true });
    expect(parsed.definition?.allowedTools).toEqual(fields.includes('Bash(') ? ['Read'] : []);
  });

  it('EX-8: fields of others are ignored without a word', () => {
    const parsed = parse(
      'license: MIT\nversion: 2\nmetadata: {a: 1}\ntags: [a]\ncategory: x\nauthor: y\ndependencies: z',
    );
    expect(told(parsed)).toEqual([]);
  });
});

describe('EX-8: where disable-model-invocation may be lost, only the user may run it', () => {
  it.each([
    ['a value that is none', '---\ndescription: d\ndisable-model-invocation: perhaps\n---\nText.', /true is used/],
    ['no value', '---\ndescription: d\ndisable-model-invocation:\n---\nText.', /true is used/],
    [
      'a misspelt name',
      '---\ndescription: d\ndisable-model-invokation: true\n---\nText.',
      /did you mean disable-model-invocation\? Until then only you/,
    ],
    [
      'two spellings',
      '---\ndisable-model-invocation: true\ndescription: d\ndisableModelInvocation: no\n---\nText.',
      undefined,
    ],
    ['not closed', '---\ndescription: d\n\nText.', /not closed.*only you can run it/],
    [
      'not opened',
      'description: d\ndisable-model-invocation: true\n---\nText.',
      /is missing: add it.*only you can run it/,
    ],
    ['another language', '---toml\ndisable = true\n---\nText.', /never executed.*only you can run it/],
    ['TOML', '+++\ndisable-model-invocation = true\n+++\nText.', /TOML.*only you can run it/],
    ['no fields', '---\nsome text: with\n  - no: [sense\n---\nText.', /only you can run it/],
    [
      'inside a text',
      '---\ndescription: a: b <example>\ndisable-model-invocation: true\n</example>\n---\nText.',
      /only you can run it/,
    ],
    [
      'a code fence around it',
      '```md\n---\nname: a\ndisable-model-invocation: true\n---\nText.\n```',
      /code fence.*only you can run it/,
    ],
    [
      'too long',
      `---\ndescription: ${'d'.repeat(70_000)}\n---\nText.`,
      /more than 65536 characters.*only you can run it/,
    ],
  ])('EX-8: %s', (_, text, message) => {
    const parsed = parseText(text);
    expect(parsed.definition).toMatchObject({ modelInvocable: false, userInvocable: true });
    expect(parsed.definition?.prompt).toContain('Text.');
    if (message !== undefined) expect(told(parsed).join('\n')).toMatch(message);
  });

  it('EX-8: text that a user would understand stays the model’s', () => {
    for (const text of [
      '---\ndescription: use when: asked\nuser-invocable: true\n---\nText.',
      '<!-- by somebody -->\nText.\n\n---\nname: sample\n---\n',
      '# A heading\n\n```yaml\n---\nname: a\n---\n```\nText.',
      'Text.',
      '---\n---\nText.',
    ]) {
      expect(parseText(text).definition).toMatchObject({ modelInvocable: true });
    }
  });
});

describe('EX-8: the description', () => {
  it.each([
    ['# Title\n\nFirst words\nof it.\n\nMore.', 'First words of it.'],
    ['<!-- hidden -->\n# Only a title', 'Only a title'],
    ['```\ncode\n```', 'code'],
    ['', ''],
  ])('EX-8: without one, the first paragraph of %j', (text, expected) => {
    expect(parseText(text, 'command').definition?.description).toBe(expected);
  });
});

it('EX-8: whatever the text, it is loaded or reported, and never throws', () => {
  const piece = fc.constantFrom(
    '---\n',
    'description: ',
    'allowed-tools: ',
    'x: [',
    '{',
    '"',
    "'",
    ': ',
    '\n',
    '- ',
    'a',
    '\u0000',
    'é',
    '&a',
    '*a',
    '|\n',
    '\t',
    '```\n',
    '<!--',
    'Bash(',
    ')',
    ',',
    'disable-model-invocation: true\n',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('');
      const { definition, problems } = parseText(text);
      expect(definition).toBeDefined();
      for (const { line } of problems) expect(line).toBeGreaterThan(0);
      // At the start of a line of closed front matter it always applies.
      if (/^---\n(a\n)*disable-model-invocation: true\n/.test(text)) expect(definition?.modelInvocable).toBe(false);
    }),
  );
});
