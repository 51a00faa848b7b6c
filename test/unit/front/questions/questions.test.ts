import { describe, expect, it } from 'vitest';
import { acceptAtOnce, describeContent, sendContent } from '../../../../src/front/questions/form-answers.js';
import { groupQuestions } from '../../../../src/front/questions/group-questions.js';
import { keepOffered, offerChoices } from '../../../../src/front/questions/offer-choices.js';
import { answerQuestions, readChoice } from '../../../../src/front/questions/person-answers.js';
import { acceptPlan } from '../../../../src/front/questions/plan-answers.js';
import { describeValue, readField, valueLines } from '../../../../src/front/questions/read-field.js';
import { refuse } from '../../../../src/front/questions/refuse.js';
import type { ElicitationField } from '../../../../src/protocol/mcp/elicitation-form.js';
import type { PermissionQuestion } from '../../../../src/protocol/permission.js';
import { ask, fork } from '../tui/panels/question-stage.js';

describe('what can be said to a question', () => {
  it('GT-11: each offer in each place where it can be kept, narrowest first; nothing else is one', () => {
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

  it('TU-14: the same tool and input are one question; plans and forms stand for themselves', () => {
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
    const plan = { text: 'x', file: 'f' };
    expect(acceptPlan(plan, 'x', 'ask')).toEqual({ behavior: 'allow' });
    expect(acceptPlan(plan, 'y', 'accept')).toEqual({
      behavior: 'allow',
      updatedInput: { plan: 'y' },
      always: [{ kind: 'mode', mode: 'acceptEdits' }],
    });
  });

  it('EX-16: numbers choose, everything else is own words; nothing said is no answer', () => {
    const option = (label: string) => ({ label, description: '' });
    const question = { question: '?', header: 'h', options: [option('A'), option('B')] };
    expect(readChoice(question, '2')).toEqual({ ok: true, answer: 'B' });
    expect(readChoice(question, '=2')).toEqual({ ok: true, answer: '2' });
    expect(readChoice(question, '1, 2')).toEqual({ ok: false, reason: 'Only one can be chosen.' });
    expect(readChoice({ ...question, multiSelect: true }, '2,1')).toEqual({ ok: true, answer: 'B, A' });
    expect(readChoice(question, '3').ok).toBe(false);
    expect(answerQuestions(new Map())).toEqual({ behavior: 'deny' });
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
    expect(readField(name, ' ')).toEqual({ ok: false, reason: 'It is required' });
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

  it('GT-20: says what can be written, made visible', () => {
    expect(valueLines(colours)).toEqual([
      '  1  Red',
      '  2  Green',
      '  (several: numbers with a comma between)',
      '  (Enter: nothing)',
    ]);
    expect(describeValue(name, 'a\u001bb')).toBe('a\\u{1b}b');
  });

  it('a form is sent as it was shown; without fields a yes is enough', () => {
    const form = { server: 's', message: 'm', mode: 'form', schema: {}, fields: [name, age] } as const;
    const content = new Map([['n', 'x']]);
    expect(describeContent(form, content)).toEqual(['This goes to s:', '  Name: x', '  Age: (nothing)']);
    expect(sendContent(content)).toEqual({ behavior: 'allow', updatedInput: { n: 'x' } });
    expect(acceptAtOnce(form)).toBeUndefined();
    expect(acceptAtOnce({ ...form, fields: [] })).toEqual({ behavior: 'allow', updatedInput: {} });
  });
});
