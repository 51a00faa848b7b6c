import { describe, expect, it } from 'vitest';
import {
  describeContent,
  describeValue,
  readField,
  sendChoices,
  valueLines,
} from '../../../../src/front/questions/fields.js';
import { groupQuestions } from '../../../../src/front/questions/group-questions.js';
import { keepOffered, offerChoices } from '../../../../src/front/questions/offer-choices.js';
import { answerOptions, readChoice } from '../../../../src/front/questions/options.js';
import { type QuestionDescription, refuse } from '../../../../src/front/questions/question-description.js';
import { describeQuestion } from '../../../../src/front/questions/question-kinds.js';
import type { ElicitationField } from '../../../../src/protocol/mcp/elicitation-form.js';
import type { PermissionQuestion } from '../../../../src/protocol/permission.js';
import { namedInput } from '../../../../src/protocol/tools/built-in-tools.js';
import { ask, fork } from '../tui/panels/question-stage.js';

function effectIn(question: QuestionDescription, word: string): unknown {
  if (question.form === 'options') return undefined;
  for (const { words, effect } of question.choices()) if (words?.includes(word)) return effect;
  return undefined;
}

const effectOf = (question: PermissionQuestion, word: string) => effectIn(describeQuestion(question), word);

const lines = async (one: PermissionQuestion) => (await describeQuestion(one).lines()).map((line) => line.text);

describe('a question in lines', () => {
  it('GT-11: shows who asks, where, why, the exact input and what it destroys', async () => {
    const agent = { id: 'agent-1', type: 'tester', depth: 1 };
    expect(await lines(ask('q', { agent, cwd: '/home/you/tree', destroys: ['deletes files (rm)'] }))).toEqual([
      'The agent tester (agent-1) asks to use Bash',
      '  in /home/you/tree',
      '  because it is not known to be read-only',
      '  | npm test',
      '  ! deletes files (rm)',
    ]);
  });

  it('GT-11: an agent with a name is called by it, with what it was started for; no path is shown twice', async () => {
    const agent = { id: 'a1', type: 'fork', depth: 1, name: 'wren', task: 'try it' };
    const call = { id: 'c', ...namedInput('Write', { file_path: 'made.txt', content: 'x' }) };
    const cwd = '/home/you/tree';
    expect(await lines(ask('q', { agent, call, cwd, reason: 'it changes /home/you/tree/made.txt' }))).toEqual([
      'The agent wren (fork, a1) asks to use Write',
      '  for: try it',
      '  in /home/you/tree',
      '  because it changes made.txt',
      '  file_path: made.txt',
      '  | + x',
    ]);
    const rule = { kind: 'rule', rule: 'Edit(//home/you/tree/made.txt)', where: ['session', 'local'] } as const;
    expect(offerChoices({ offers: [rule] }).map(({ label }) => label)).toEqual([
      'always in this session: Edit(//home/you/tree/made.txt)',
      'the same, always in this project (local settings)',
    ]);
    expect(offerChoices({ offers: [{ ...rule, where: ['local'] }] })[0]?.label).toContain(rule.rule);
  });

  it('GT-9: whether agents may edit is its own question, about no call', async () => {
    const call = { id: 'agents-edit', ...namedInput('Agent', { agentsMayEdit: '/home/you/tree' }) };
    expect(await lines(ask('q', { about: 'agents-edit', call, cwd: '/home/you/tree' }))).toEqual([
      'Let agents edit files in /home/you/tree without asking?',
    ]);
  });

  it('GT-11: nothing in names, folders or reasons can begin its own line', async () => {
    const shown = await lines(
      ask('q', {
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
    const shown = await lines(ask('q', { call: { id: 'c', tool: 'Bash', input: { command } } }));
    expect(shown.filter((line) => line.startsWith('  | echo '))).toHaveLength(500);
  });
});

describe('answers to a question', () => {
  it('GT-11: each offer in each place where it can be saved, narrowest first; nothing else is one', () => {
    const offers: PermissionQuestion['offers'] = [
      { kind: 'rule', rule: 'Bash(a)', where: ['session', 'local'] },
      { kind: 'rule', rule: 'Bash(a:*)', where: ['session'] },
      { kind: 'mode', mode: 'acceptEdits' },
    ];
    expect(offerChoices({ offers }).map(({ choice, rank }) => [choice, rank])).toEqual([
      [{ kind: 'rule', rule: 'Bash(a)', where: 'session' }, 1],
      [{ kind: 'rule', rule: 'Bash(a)', where: 'local' }, 1],
      [{ kind: 'rule', rule: 'Bash(a:*)', where: 'session' }, 2],
      [{ kind: 'mode', mode: 'acceptEdits' }, undefined],
    ]);
    const local = { kind: 'rule', rule: 'Bash(a)', where: 'local' } as const;
    const other = { kind: 'rule', rule: 'Bash(a:*)', where: 'local' } as const;
    const given = { behavior: 'allow', always: [local, other] } as const;
    expect(keepOffered(given, ask('a', { offers }))).toEqual({ behavior: 'allow', always: [local] });
    expect(keepOffered(given, ask('a', { offers: [] }))).toEqual({ behavior: 'allow' });
  });

  it('TU-14: the same tool and input are one question; plans and forms are separate', () => {
    const other = ask('c', { call: { id: 'c', tool: 'Bash', input: { command: 'ls' } } });
    const plan = (id: string) => ask(id, { about: 'plan', plan: { text: 'x', file: 'f' } });
    const questions = [ask('a'), other, ask('b', { agent: fork('fork-1'), cwd: '/q' }), plan('p'), plan('r')];
    expect(groupQuestions(questions).map(({ members }) => members.map(({ id }) => id))).toEqual([
      ['a', 'b'],
      ['c'],
      ['p'],
      ['r'],
    ]);
  });

  it('a no has a reason only if one was written', () => {
    expect(refuse(' use pnpm ')).toEqual({ behavior: 'deny', reason: 'use pnpm' });
    expect([refuse(' '), refuse(undefined)]).toEqual([{ behavior: 'deny' }, { behavior: 'deny' }]);
  });

  it('EX-15: a plan goes along only if it was changed', () => {
    const offers = [{ kind: 'mode', mode: 'acceptEdits' }] as const;
    const plan = describeQuestion(ask('p', { about: 'plan', plan: { text: 'x', file: 'f' }, offers }));
    if (plan.form !== 'choose') throw new Error('a plan has choices');
    expect(effectIn(plan, 'y')).toEqual({ kind: 'answer', answer: { behavior: 'allow' } });
    const changed = plan.document?.change('y') ?? plan;
    const answer = { behavior: 'allow', updatedInput: { plan: 'y' }, always: offers };
    expect(effectIn(changed, 'e')).toEqual({ kind: 'answer', answer });
  });

  it('EX-16: numbers choose, everything else is free text; empty input is no answer', () => {
    const option = (label: string) => ({ label, description: '' });
    const question = { question: '?', header: 'h', options: [option('A'), option('B')] };
    expect(readChoice(question, '2')).toEqual({ ok: true, answer: 'B' });
    expect(readChoice(question, '=2')).toEqual({ ok: true, answer: '2' });
    expect(readChoice(question, '1, 2')).toEqual({ ok: false, reason: 'Choose only one.' });
    expect(readChoice({ ...question, multiSelect: true }, '2,1')).toEqual({ ok: true, answer: 'B, A' });
    expect(readChoice(question, '3').ok).toBe(false);
    expect(answerOptions(new Map())).toEqual({ behavior: 'deny' });
  });
});

describe('a field of a form', () => {
  const name: ElicitationField = { name: 'n', title: 'Name', required: true, type: 'string' };
  const age: ElicitationField = { name: 'a', title: 'Age', required: false, type: 'integer', minimum: 1, default: 4 };
  const choices = [
    { value: 'r', label: 'Red' },
    { value: '1', label: 'Green' },
  ];
  const colours: ElicitationField = { name: 'c', title: 'Colours', required: false, type: 'choices', choices };

  it('is read as its type, its default where nothing is written, or refused with a reason', () => {
    expect(readField(name, ' ')).toEqual({ ok: false, reason: 'Required' });
    expect(readField(name, ' x ')).toEqual({ ok: true, value: ' x ' });
    expect(readField(age, '')).toEqual({ ok: true, value: 4 });
    expect(readField(age, '7')).toEqual({ ok: true, value: 7 });
    expect(readField(age, '0').ok).toBe(false);
    expect(readField(age, 'x').ok).toBe(false);
    expect(readField(colours, '')).toEqual({ ok: true, value: undefined });
    // As written before by its number.
    expect(readField(colours, 'Red, 1')).toEqual({ ok: true, value: ['r', '1'] });
    expect(readField(colours, '2')).toEqual({ ok: true, value: ['1'] });
  });

  it('GT-20: reports what can be written, made visible', () => {
    expect(valueLines(colours)).toEqual([
      '  1  Red',
      '  2  Green',
      '  (several: separate numbers with commas)',
      '  (Enter: nothing)',
    ]);
    expect(describeValue(name, 'a\u001bb')).toBe('a\\u{1b}b');
  });

  it('a form is sent as it was shown; without fields a yes is enough', () => {
    const form = { server: 's', message: 'm', mode: 'form', schema: {}, fields: [name, age] } as const;
    const content = new Map([['n', 'x']]);
    expect(describeContent(form, content)).toEqual(['To be sent to s:', '  Name: x', '  Age: (nothing)']);
    const answer = { behavior: 'allow', updatedInput: { n: 'x' } };
    expect(sendChoices(form, content)[0]?.effect).toEqual({ kind: 'answer', answer });
    expect(effectOf(ask('f', { about: 'elicitation', elicitation: form }), 'y')).toEqual({ kind: 'fill', form });
    const empty = ask('f', { about: 'elicitation', elicitation: { ...form, fields: [] } });
    expect(effectOf(empty, 'y')).toEqual({ kind: 'answer', answer: { behavior: 'allow', updatedInput: {} } });
  });
});
