import { describe, expect, it } from 'vitest';
import { parseDefinition } from '../../../../src/config/definitions/parse-definition.js';

const source = { scope: 'project', file: '/p/.claude/agents/my-agent.md', trusted: true } as const;
const parse = (text: string, file: string = source.file) => parseDefinition(text, { ...source, file });

function good(text: string) {
  const { definition, problems } = parse(text);
  if (definition === undefined) throw new Error(problems.map((problem) => problem.message).join('\n'));
  return { definition, warnings: problems.map((problem) => `${problem.line}: ${problem.message}`) };
}

const withFields = (fields: string, body = 'Do it.') => `---\n${fields}\n---\n\n${body}\n`;

describe('AG-5: definition files as people write them', () => {
  it('AG-5: a tidy file loads with all its fields and no warnings', () => {
    const { definition, warnings } = good(
      withFields(`name: tester
description: Runs the tests
tools: Read, Bash, Agent(a, b), mcp__github
disallowedTools: [Write, Task]
model: sonnet
permissionMode: plan
maxTurns: 30
skills: [one, two]
mcpServers:
  - github
  - docs: { command: node, args: [x.js] }
requiredMcpServers: github
hooks:
  Stop:
    - hooks:
        - type: command
          command: echo done
          timeout: 5
memory: project
background: true
isolation: worktree
effort: high
color: blue
initialPrompt: "Begin: now"
omitClaudeMd: true
oneShot: yes`),
    );
    expect(warnings).toEqual([]);
    expect(definition).toEqual({
      name: 'tester',
      description: 'Runs the tests',
      tools: ['Read', 'Bash', 'Agent', 'mcp__github'],
      spawns: ['a', 'b'],
      disallowedTools: ['Write', 'Agent'],
      model: 'sonnet',
      permissionMode: 'plan',
      maxTurns: 30,
      skills: ['one', 'two'],
      mcpServers: [{ name: 'github' }, { name: 'docs', config: { command: 'node', args: ['x.js'] } }],
      requiredMcpServers: ['github'],
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'echo done', timeout: 5 }] }] },
      memory: 'project',
      background: true,
      isolation: 'worktree',
      effort: 'high',
      color: 'blue',
      initialPrompt: 'Begin: now',
      omitClaudeMd: true,
      oneShot: true,
      prompt: 'Do it.',
      source,
    });
  });

  it('AG-5: what is left out has the defaults', () => {
    const { definition } = good(withFields('name: a\ndescription: b'));
    expect(definition).toMatchObject({
      tools: 'all',
      model: 'inherit',
      maxTurns: 200,
      disallowedTools: [],
      background: false,
    });
    expect(definition).not.toHaveProperty('permissionMode');
  });

  it.each([
    ['a BOM', '\uFEFF---\nname: a\ndescription: b\n---\nbody'],
    ['CRLF', '---\r\nname: a\r\ndescription: b\r\n---\r\nbody\r\n'],
    ['old Mac line ends', '---\rname: a\rdescription: b\r---\rbody'],
    ['blank lines first', '\n\n---\nname: a\ndescription: b\n---\nbody'],
    ['longer fences', '-----\nname: a\ndescription: b\n----\nbody'],
    ['space behind fences', '---  \nname: a\ndescription: b\n--- \nbody'],
    ['a language on the fence', '---yaml\nname: a\ndescription: b\n---\nbody'],
    ['an indented closing fence', '---\nname: a\ndescription: b\n  ---\nbody'],
    ['no closing fence', '---\nname: a\ndescription: b\n\nbody'],
    ['no closing fence, a heading', '---\nname: a\ndescription: b\n# body'],
    ['no opening fence', 'name: a\ndescription: b\n---\nbody'],
    ['dashes made pretty', '—\nname: a\ndescription: b\n—\nbody'],
    ['a comment before it', '<!-- generated -->\n---\nname: a\ndescription: b\n---\nbody'],
    ['a code fence around it', '```markdown\n---\nname: a\ndescription: b\n---\nbody\n```'],
    ['tabs after colons', '---\nname:\ta\ndescription:\tb\n---\nbody'],
    ['tabs before fields', '---\n\tname: a\n\tdescription: b\n---\nbody'],
    ['indented fields', '---\n  name: a\n  description: b\n---\nbody'],
    ['quoted keys', '---\n"name": "a"\n"description": \'b\'\n---\nbody'],
    ['JSON', '---\n{"name": "a", "description": "b"}\n---\nbody'],
    ['no space after colons', '---\nname:a\ndescription:b\n---\nbody'],
    ['a comment line', '---\n# who\nname: a\ndescription: b\n---\nbody'],
    ['an unclosed quote', '---\nname: a\ndescription: "b\n---\nbody'],
  ])('AG-5: %s', (_, text) => {
    const { definition } = good(text);
    expect(definition).toMatchObject({ name: 'a', description: 'b' });
    expect(definition.prompt.replace('# ', '')).toBe('body');
  });

  it.each([
    ['colons', 'Use when: the user says "go": always'],
    ['an example in one line', 'Helps. Examples: <example>Context: x. user: "hi" assistant: "yes: ok"</example>'],
    ['an asterisk first', '*Always* use this'],
    ['an at sign first', '@team reviews'],
    ['a backtick first', '`git` helper'],
    ['a per cent sign first', '% of tests'],
    ['brackets first', '[WIP] Reviews code'],
    ['brackets alone', '[deprecated]'],
    ['braces', '{draft}'],
    ['an exclamation mark first', '!important: read'],
    ['a quote in the middle', '"Fast" reviews and more'],
    ['an apostrophe', "it's the user's agent: really"],
    ['a number sign', 'Closes issue #12 and others'],
    ['an ampersand first', '& co'],
    ['a number', '42'],
    ['a word of YAML', 'true'],
    ['a question mark', '? what'],
    ['a dash', '- one'],
    ['a pipe in it', 'reads | writes'],
    ['a greater-than sign', '> quoted'],
  ])('AG-5: a description with %s is preserved word for word', (_, description) => {
    const { definition } = good(
      withFields(`name: a\ndescription: ${description}\ntools: Read, Grep\nmodel: opus\ncolor: red`),
    );
    expect(definition).toMatchObject({ name: 'a', description, tools: ['Read', 'Grep'], model: 'opus', color: 'red' });
  });

  it('AG-5: a dialogue without indentation belongs to the description, whatever its lines look like', () => {
    const { definition, warnings } = good(
      withFields(`name: director
description: Use this agent for campaigns. Examples:

<example>
Context: The user wants a poster.
user: "make one"
model: "a word in the dialogue"
assistant: "On it: now"
creative-director: "Steps:
1. first
- second
</example>

Context: no tag here
user: "again"

model: sonnet
color: pink
tools: Read, Write`),
    );
    expect(definition).toMatchObject({ name: 'director', model: 'sonnet', color: 'pink', tools: ['Read', 'Write'] });
    expect(definition.description).toMatch(/^Use this agent.*"again"$/s);
    expect(definition.description).toContain('creative-director: "Steps:\n1. first');
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^\d+: not valid YAML .*read line by line/);
  });

  it('AG-5: dialogue that happens to be YAML is still part of the description', () => {
    const { definition } = good(
      withFields('name: a\ndescription: Use it when\nuser: "hi"\nassistant: "ok"\nmodel: opus'),
    );
    expect(definition).toMatchObject({ description: 'Use it when\nuser: "hi"\nassistant: "ok"', model: 'opus' });
  });

  it('AG-5: an example that is never closed doesn’t swallow the fields after it', () => {
    const { definition } = good(
      withFields('name: a\ndescription: Text: x <example>\nuser: "y"\nmodel: opus\ntools: Read'),
    );
    expect(definition).toMatchObject({ model: 'opus', tools: ['Read'] });
  });

  it('AG-5: written-out line breaks of generated files become line breaks', () => {
    const text = 'Use: this.\\n\\n<example>\\nuser: "x"\\n</example>';
    expect(good(withFields(`name: a\ndescription: ${text}`)).definition.description).toBe(
      'Use: this.\n\n<example>\nuser: "x"\n</example>',
    );
    expect(good(withFields('name: a\ndescription: Reads C:\\new')).definition.description).toBe('Reads C:\\new');
  });

  it.each([
    ['|', 'one: 1\ntwo'],
    ['>', 'one: 1 two'],
    ['>-', 'one: 1 two'],
  ])('AG-5: a description after "%s", in good YAML and in bad', (mark, expected) => {
    const block = `description: ${mark}\n  one: 1\n  two\nmodel: opus`;
    expect(good(withFields(`name: a\n${block}`)).definition.description.trim()).toBe(expected);
    const bad = good(withFields(`name: x: y\n${block}`));
    expect(bad.definition).toMatchObject({ name: 'x-y', description: expected, model: 'opus' });
  });

  it.each([
    ['Read, Write', ['Read', 'Write']],
    ['[Read, Write]', ['Read', 'Write']],
    ['["Read", "Write"]', ['Read', 'Write']],
    ['\n  - Read\n  - Write', ['Read', 'Write']],
    ['\n- Read\n- Write', ['Read', 'Write']],
    ['Read Write Bash', ['Read', 'Write', 'Bash']],
    ['Read, Write and Edit', ['Read', 'Write', 'Edit']],
    ['Read, Read,', ['Read']],
    ['"Read, Write"', ['Read', 'Write']],
    ['`Read`, **Write**', ['Read', 'Write']],
    ['Bash(git:*), Read', ['Bash(git:*)', 'Read']],
    ['Bash(git log, git show), Read', ['Bash(git log, git show)', 'Read']],
    ['Task, Read', ['Agent', 'Read']],
    ['Task(x)', ['Agent']],
    ['mcp__a__*, mcp__b', ['mcp__a__*', 'mcp__b']],
    ['[]', []],
    ['none', []],
    ['*', 'all'],
    ['"*"', 'all'],
    ['["*"]', 'all'],
    ['All tools', 'all'],
    ['all', 'all'],
    ['', 'all'],
    ['\n  read: true\n  bash: true\n  write: false', ['read', 'bash']],
  ])('AG-5: tools: %j', (written, tools) => {
    expect(good(withFields(`name: a\ndescription: b\ntools: ${written}`)).definition.tools).toEqual(tools);
  });

  it('AG-5: tools on more lines are read in a file that is not YAML, too', () => {
    const fields =
      'name: a\ndescription: x: y: z\ntools:\n  - Read\n  - Bash(a, b)\nskills:\n- one\n- two\nmodel: haiku';
    const { definition } = good(withFields(fields));
    expect(definition).toMatchObject({ tools: ['Read', 'Bash(a, b)'], skills: ['one', 'two'], model: 'haiku' });
  });

  it('AG-5: switches that are only off leave all other tools', () => {
    const { definition } = good(withFields('name: a\ndescription: b\ntools:\n  write: false\n  task: false'));
    expect(definition).toMatchObject({ tools: 'all', disallowedTools: ['write', 'Agent'] });
  });

  it.each([
    ['Name: a\nDescription: b\nTools: Read\nModel: Opus', {}],
    ['name: a\ndescription: b\nallowed-tools: Read\nmodel: OPUS', {}],
    ['name: a\ndescription: b\nallowed_tools: Read\nmodel: opus', {}],
    ['name: a\ndescription: b\ntools: Read\nmodel: opus\nmax-turns: 3', { maxTurns: 3 }],
    [
      'name: a\ndescription: b\ntools: Read\nmodel: opus\npermission_mode: accept-edits',
      { permissionMode: 'acceptEdits' },
    ],
    ['name: a\nwhen_to_use: b\ntools: Read\nmodel: opus\ndisallowed-tools: Bash', { disallowedTools: ['Bash'] }],
  ])('AG-5: other spellings are understood and reported: %j', (fields, more) => {
    const { definition, warnings } = good(withFields(fields));
    expect(definition).toMatchObject({ name: 'a', description: 'b', tools: ['Read'], model: 'opus', ...more });
    expect(warnings.join()).toMatch(/unknown field \S+: read as (name|tools|maxTurns|permissionMode|description)/);
  });

  it('AG-5: unknown fields, duplicates and wrong types are reported with their lines and what is used', () => {
    const { definition, warnings } = good(
      withFields(
        'name: a\nname: b\ndescription: c\ncategory: x\nversion: 1\nmaxTurns: many\nbackground: perhaps\nmemory: [x]',
      ),
    );
    expect(definition).toMatchObject({ name: 'b', maxTurns: 200, background: false });
    expect(warnings).toEqual(
      [
        '2: duplicate field name: the last one (line 3) is used',
        '5: unknown fields ignored: category (line 5), version (line 6)',
        '8: background: expected true or false, found perhaps; false is used',
        '7: maxTurns: expected a whole number above 0, found many; 200 is used',
        '9: memory: expected user, project, local, found ["x"]; it has no memory',
      ].sort((x, y) => warnings.indexOf(x) - warnings.indexOf(y)),
    );
  });

  it.each([
    ['Code Reviewer', 'code-reviewer'],
    ['backend_architect', 'backend-architect'],
    ['dotnet-4.8', 'dotnet-4-8'],
    ['Übersetzer', 'ubersetzer'],
    ['"quoted"', 'quoted'],
    ['../../etc/passwd', 'etc-passwd'],
    ['XX-组长', /^xx-[0-9a-f]{6}$/],
    ['组长', /^agent-[0-9a-f]{6}$/],
  ])('AG-5: the name %s', (written, name) => {
    const { definition, warnings } = good(withFields(`name: ${written}\ndescription: b`));
    expect(definition.name).toMatch(name);
    if (!/quoted/.test(written)) expect([definition.writtenName, warnings.length]).toEqual([written, 1]);
  });

  it('AG-5: two names in another script don’t become one', () => {
    const name = (written: string) => good(withFields(`name: ${written}\ndescription: b`)).definition.name;
    expect(name('组长')).not.toBe(name('队长'));
  });

  it('AG-5: without a name the file’s is used, without a description the text’s first line', () => {
    const { definition, warnings } = good('---\ntools: Read\n---\n# My Agent\n\nYou check links.\n');
    expect(definition).toMatchObject({ name: 'my-agent', description: 'You check links.' });
    expect(warnings).toHaveLength(2);
    const blank = good(withFields('name:\ndescription: ""\nmodel:'));
    expect(blank.definition).toMatchObject({ name: 'my-agent', description: 'Do it.', model: 'inherit' });
  });

  it('AG-5: an empty text is a warning', () => {
    expect(good('---\nname: a\ndescription: b\n---\n').warnings).toEqual([
      expect.stringContaining('the prompt is empty'),
    ]);
  });

  it.each([
    ['', 'no front matter'],
    ['Just text.', 'no front matter'],
    ['---\n---\n', 'has no agent fields'],
    ['---\nlayout: page\n---\ntext', 'has no agent fields'],
    ['---\nname: a\n---\n', 'no description and no prompt'],
    ['+++\nname = "a"\n+++\ntext', 'TOML'],
    ['---js\n{name: process.exit(1)}\n---\ntext', 'never executed'],
  ])('AG-5: %j is skipped with an error that says what to do', (text, message) => {
    const { definition, problems } = parse(text);
    expect(definition).toBeUndefined();
    expect(problems).toContainEqual(
      expect.objectContaining({
        severity: 'error',
        file: source.file,
        line: expect.any(Number),
        message: expect.stringContaining(message),
      }),
    );
  });

  it('AG-5: a README next to the agents is no agent, and no error', () => {
    const { definition, problems } = parse('# Agents\n\nRead me.', '/p/.claude/agents/README.md');
    expect([definition, problems[0]?.severity]).toEqual([undefined, 'warning']);
  });

  it('AG-5: nothing in a file is executed or multiplied', () => {
    const tag = good(withFields('name: a\ndescription: !!js/function "function(){ throw 1 }"\nmodel: opus'));
    expect(tag.definition.model).toBe('opus');
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (let i = 1; i < 12; i++)
      bomb.push(
        `b${i}: &b${i} [${Array(9)
          .fill(i === 1 ? '*a' : `*b${i - 1}`)
          .join(',')}]`,
      );
    const { definition } = good(withFields(`name: a\ndescription: b\n${bomb.join('\n')}\nmodel: opus`));
    expect(definition).toMatchObject({ name: 'a', model: 'opus' });
  });

  it('AG-5: a model that is not one name', () => {
    const model = (written: string) => good(withFields(`name: a\ndescription: b\nmodel: ${written}`)).definition.model;
    expect(model('Claude Sonnet 4')).toBe('sonnet');
    expect(model('sonnet # the usual')).toBe('sonnet');
    expect(model('claude-opus-4-1')).toBe('claude-opus-4-1');
    expect(model('anthropic/claude-3.5')).toBe('anthropic/claude-3.5');
    expect(model('[opus, sonnet]')).toBe('opus');
  });
});
