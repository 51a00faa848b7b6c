/** A generator of messy definition files: what a user would understand must load, the rest must be reported (AG-5). */

import { describe, expect, it } from 'vitest';
import { parseDefinition } from '../../../src/config/definitions/parse-definition.js';
import fc from '../../support/fast-check.js';

const source = { scope: 'user', file: '/u/agents/some-file.md', trusted: true } as const;

type Meant = {
  readonly name: string;
  readonly sentence: string;
  readonly dialogue: readonly string[];
  readonly tools: readonly string[];
  readonly model: string;
  readonly body: string;
};

const word = fc.stringMatching(/^[a-z]{2,8}$/);
const name = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('-'));
const sentence = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: word },
      fc.constantFrom(
        'when:',
        '"quoted"',
        "user's",
        'a/b',
        '(e.g.',
        'x,',
        '*',
        '&',
        '#12',
        '—',
        '{x}',
        '[y]',
        'éà',
        '组',
        '100%',
        '\\d+',
        '`ls`',
        '!',
        '@me',
        '>',
        '|',
      ),
    ),
    { minLength: 2, maxLength: 12 },
  )
  .map((words) => `Use ${words.join(' ')} end`);
const speech = fc
  .tuple(fc.constantFrom('Context', 'user', 'assistant', 'reviewer', 'Note'), word)
  .map(([who, what]) => `${who}: "${what}: ok"`);
const dialogue = fc
  .array(
    fc.array(fc.oneof(speech, word, fc.constant('- a point'), fc.constant('1. first')), { minLength: 1, maxLength: 4 }),
    { maxLength: 2 },
  )
  .map((examples) => examples.flatMap((lines) => ['<example>', ...lines, '</example>']));
const tool = fc.constantFrom('Read', 'Write', 'Bash', 'Grep', 'WebFetch', 'mcp__github__search', 'Bash(git log:*)');
const meant: fc.Arbitrary<Meant> = fc.record({
  name,
  sentence,
  dialogue,
  tools: fc.uniqueArray(tool, { minLength: 2, maxLength: 4 }),
  model: fc.constantFrom('sonnet', 'opus', 'haiku', 'inherit', 'claude-opus-4-1'),
  body: fc
    .array(word, { minLength: 1, maxLength: 6 })
    .map((words) => `You are ${words.join(' ')}.\n\n## Steps: do\n\n- x`),
});

const style = fc.record({
  bom: fc.boolean(),
  newline: fc.constantFrom('\n', '\r\n'),
  blanks: fc.nat(2),
  fence: fc.constantFrom('---', '----', '--- '),
  spelling: fc.constantFrom<(key: string) => string>(
    (key) => key,
    (key) => key,
    (key) => `${key[0]?.toUpperCase()}${key.slice(1)}`,
    (key) => key.toUpperCase(),
  ),
  toolsKey: fc.constantFrom('tools', 'tools', 'allowed-tools', 'allowed_tools', 'allowedTools'),
  colon: fc.constantFrom(': ', ':  ', ':\t'),
  description: fc.constantFrom('plain', 'plain', 'indented', 'block', 'double', 'escaped'),
  tools: fc.constantFrom('comma', 'tight', 'flow', 'quoted', 'list', 'flat list', 'lines'),
  order: fc.constantFrom([0, 1, 2, 3], [1, 0, 3, 2], [3, 2, 1, 0], [2, 1, 3, 0]),
  extra: fc.constantFrom('', 'color: blue', 'version: 1.0', '# a comment', '', 'tags: [a, b]'),
  duplicate: fc.boolean(),
});
type Style = typeof style extends fc.Arbitrary<infer T> ? T : never;

function render(file: Meant, how: Style): string {
  const key = how.spelling;
  const fields = [
    [...(how.duplicate ? [`${key('name')}${how.colon}an-older-name`] : []), `${key('name')}${how.colon}${file.name}`],
    describeLines(file, how, key('description')),
    tools(file.tools, how, key(how.toolsKey)),
    [`${key('model')}${how.colon}${file.model}`],
  ];
  // Fields of no meaning go first: behind a description without indentation nobody could tell them from it.
  const lines = [how.extra, ...how.order.flatMap((index) => fields[index] ?? [])].filter((line) => line !== '');
  const all = [...Array(how.blanks).fill(''), how.fence, ...lines, how.fence, '', file.body, ''];
  return (how.bom ? '\uFEFF' : '') + all.join('\n').replaceAll('\n', how.newline);
}

function describeLines(file: Meant, how: Style, key: string): readonly string[] {
  const lines = [file.sentence, ...file.dialogue];
  switch (how.description) {
    case 'plain':
      return [`${key}${how.colon}${lines[0]}`, ...lines.slice(1)];
    case 'indented':
      return [`${key}${how.colon}${lines[0]}`, ...lines.slice(1).map((line) => `  ${line}`)];
    case 'block':
      return [`${key}: |`, ...lines.map((line) => `  ${line}`)];
    case 'double':
      return [`${key}${how.colon}${JSON.stringify(lines.join('\n'))}`];
    case 'escaped':
      return [`${key}${how.colon}${lines.join('\\n')}`];
    default:
      throw new Error(how.description);
  }
}

function tools(names: readonly string[], how: Style, key: string): readonly string[] {
  switch (how.tools) {
    case 'comma':
      return [`${key}${how.colon}${names.join(', ')}`];
    case 'tight':
      return [`${key}${how.colon}${names.join(',')}`];
    case 'flow':
      return [`${key}${how.colon}[${names.map((tool) => `"${tool}"`).join(', ')}]`];
    case 'quoted':
      return [`${key}${how.colon}"${names.join(', ')}"`];
    case 'list':
      return [`${key}:`, ...names.map((tool) => `  - ${tool}`)];
    case 'flat list':
      return [`${key}:`, ...names.map((tool) => `- ${tool}`)];
    case 'lines':
      return [`${key}:`, ...names.map((tool) => `  ${tool},`)];
    default:
      throw new Error(how.tools);
  }
}

const words = (text: string) => text.replaceAll('\\n', ' ').split(/\s+/).filter(Boolean).join(' ');

describe('AG-5: messy definition files', () => {
  it('AG-5: what a user would understand is loaded', () => {
    fc.assert(
      fc.property(meant, style, (file, how) => {
        const text = render(file, how);
        const { definition, problems } = parseDefinition(text, source);
        const report = `${text}\n${problems.map((problem) => `${problem.line}: ${problem.message}`).join('\n')}`;
        expect(definition, report).toBeDefined();
        expect(definition?.name, report).toBe(file.name);
        expect(definition?.tools, report).toEqual(file.tools);
        expect(definition?.model, report).toBe(file.model);
        expect(words(definition?.description ?? ''), report).toBe(words([file.sentence, ...file.dialogue].join(' ')));
        expect(words(definition?.prompt ?? ''), report).toBe(words(file.body));
        if (how.duplicate)
          expect(
            problems.some((problem) => problem.message.includes('duplicate field')),
            report,
          ).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('AG-5: whatever the text, a file is loaded or reported with a line, and never throws', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '---',
        'name:',
        'description: |',
        'tools: [',
        ' - x',
        '\t',
        ': ',
        '"',
        "'",
        '&a',
        '*a',
        '<example>',
        '!!map',
        '? ',
        '{',
        '%YAML',
        '...',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom(
        'name: a',
        'description: b',
        'hooks: 5',
        'mcpServers: [[x]]',
        'model: {a: b}',
        'tools: {a: {b: c}}',
        '<<: *x',
        '__proto__: x',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), fc.boolean(), (pieces, fenced) => {
        const text = fenced ? `---\n${pieces.join('\n')}\n---\nbody` : pieces.join('\n');
        const { definition, problems } = parseDefinition(text, source);
        if (definition === undefined) {
          expect(problems.some((problem) => problem.severity === 'error' && (problem.line ?? 0) > 0)).toBe(true);
        } else {
          expect(definition.name).toMatch(/^[a-z0-9-]+$/);
          expect(definition.description.trim()).not.toBe('');
          expect(definition.model).not.toBe('');
        }
      }),
      { numRuns: 5000 },
    );
  });
});
