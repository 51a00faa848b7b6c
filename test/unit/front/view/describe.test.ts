import { describe, expect, it } from 'vitest';
import { describeCall, describeResult } from '../../../../src/front/view/describe/describe-call.js';
import { describeOffer, describeQuestion } from '../../../../src/front/view/describe/describe-question.js';
import { editDiff } from '../../../../src/front/view/edit-diff.js';
import { text } from '../../../../src/protocol/blocks.js';
import { freezeBlock } from '../../../../src/protocol/frozen-block.js';
import type { PermissionQuestion } from '../../../../src/protocol/permission.js';
import { namedInput } from '../../../../src/protocol/tools/built-in-tools.js';

const question = (more: Partial<PermissionQuestion> = {}): PermissionQuestion => ({
  id: 'q',
  agent: { id: 'main', type: 'main', depth: 0 },
  call: { id: 'c', tool: 'Bash', input: { command: 'npm test' } },
  cwd: '/home/you/project',
  reason: 'it is not known to be read-only',
  destroys: [],
  offers: [],
  ...more,
});

const lines = async (one: PermissionQuestion) => (await describeQuestion(one)).map((line) => line.text);

describe('a call in a line', () => {
  it('GT-20: shows the main argument, made visible, on one line', () => {
    expect(describeCall('Bash', { command: 'ls\u001b[2J\nrm x' })).toBe('Bash: ls\\u{1b}[2J … (+1 lines)');
    expect(describeCall('Read', { file_path: 'a\u202eb' })).toBe('Read: a\\u{202e}b');
    expect(describeCall('mcp__x__y', { n: 1 })).toBe('mcp__x__y: {"n":1}');
    expect(describeCall('constructor', {})).toBe('constructor: {}');
  });

  it('GT-20: a result is stripped and cut to its first line', () => {
    const content = [text('\n\u001b]0;t\u0007first\u001b[31m\nsecond')];
    const block = freezeBlock({ type: 'tool_result', tool_use_id: 'c', content });
    expect(describeResult([block])).toEqual({ first: 'first', more: ['second'] });
  });
});

describe('a question in lines', () => {
  it('GT-11: says who asks, where, why, the exact input and what it destroys', async () => {
    const agent = { id: 'agent-1', type: 'tester', depth: 1 };
    expect(await lines(question({ agent, cwd: '/home/you/tree', destroys: ['deletes files (rm)'] }))).toEqual([
      'The agent tester (agent-1) asks to use Bash',
      '  in /home/you/tree',
      '  because it is not known to be read-only',
      '  | npm test',
      '  ! deletes files (rm)',
    ]);
  });

  it('GT-11: an agent with a name is called by it, with what it was started for; no path is said twice', async () => {
    const agent = { id: 'a1', type: 'fork', depth: 1, name: 'wren', task: 'try it' };
    const call = { id: 'c', ...namedInput('Write', { file_path: 'made.txt', content: 'x' }) };
    const cwd = '/home/you/tree';
    expect(await lines(question({ agent, call, cwd, reason: 'it changes /home/you/tree/made.txt' }))).toEqual([
      'The agent wren (fork, a1) asks to use Write',
      '  for: try it',
      '  in /home/you/tree',
      '  because it changes made.txt',
      '  file_path: made.txt',
      '  | + x',
    ]);
    const rule = { kind: 'rule', rule: 'Edit(//home/you/tree/made.txt)', where: ['session', 'local'] } as const;
    expect(describeOffer(rule, 'session')).toBe('always in this session: Edit(//home/you/tree/made.txt)');
    expect(describeOffer(rule, 'local')).toBe('the same, always in this project (local settings)');
    expect(describeOffer({ ...rule, where: ['local'] }, 'local')).toContain(rule.rule);
  });

  it('GT-9: whether agents may edit is a question of its own, about no call', async () => {
    const call = { id: 'agents-edit', ...namedInput('Agent', { agentsMayEdit: '/home/you/tree' }) };
    expect(await lines(question({ about: 'agents-edit', call, cwd: '/home/you/tree' }))).toEqual([
      'May agents change files in /home/you/tree without asking for each change?',
    ]);
  });

  it('GT-11: nothing in names, folders or reasons can begin a line of its own', async () => {
    const shown = await lines(
      question({
        agent: { id: 'x\ny', type: 'a\nb', depth: 1 },
        call: { id: 'c', ...namedInput('T\nx', { 'k\ney': 'v', other: 'one\ntwo' }) },
        cwd: '/a\n/b',
        reason: 'r\ns',
      }),
    );
    expect(shown.every((line) => !line.includes('\n'))).toBe(true);
    expect(shown).toContain('  | two');
  });

  it('GT-11: a command is never cut, however long', async () => {
    const command = Array.from({ length: 500 }, (_, n) => `echo ${n}`).join('\n');
    const shown = await lines(question({ call: { id: 'c', tool: 'Bash', input: { command } } }));
    expect(shown.filter((line) => line.startsWith('  | echo '))).toHaveLength(500);
  });
});

describe('the diff of an edit', () => {
  it('SF-15: shows what goes and what comes', async () => {
    const diff = await editDiff('Edit', { old_string: 'a\nb\nc', new_string: 'a\nB\nc' });
    expect(diff?.map(({ sign, text: line }) => sign + line)).toEqual([' a', '-b', '+B', ' c']);
    expect(await editDiff('Bash', { command: 'x' })).toBeUndefined();
    expect(await editDiff('Edit', { old_string: 1 })).toBeUndefined();
  });

  it('SF-15: texts too different to compare are shown as all gone and all come', async () => {
    const text = (word: string) => Array.from({ length: 3_000 }, (_, n) => `${word} ${n}`).join('\n');
    const diff = await editDiff('Edit', { old_string: text('old'), new_string: text('new') });
    expect(diff).toHaveLength(6_000);
    expect(diff?.[0]).toEqual({ sign: '-', text: 'old 0' });
  });
});
