import { describe, expect, it } from 'vitest';
import type { ElicitationField } from '../../../../../src/protocol/mcp/elicitation-form.js';
import { namedInput } from '../../../../../src/protocol/tools/built-in-tools.js';
import { ask, fork, key, stage } from './question-stage.js';

describe('a plan', () => {
  const plan = { text: '# Plan\n1. do it', file: '/h/plan.md' };
  const offers = [{ kind: 'mode', mode: 'acceptEdits' }] as const;
  const question = ask('p', { about: 'plan', plan, offers, call: { id: 'c', ...namedInput('ExitPlanMode', {}) } });
  const acceptEdits = [{ kind: 'mode', mode: 'acceptEdits' }];

  it('TU-16: is printed into the history, once, when it is its turn; bypass is not offered', async () => {
    const { open, plans, rows, deliberate } = stage();
    await open(ask('q'), question);
    expect(plans).toEqual([]);
    await deliberate('1');
    await open(question);
    await open(question);
    expect(plans).toEqual([plan.text]);
    expect(rows()).toEqual([
      'The main agent has a plan',
      '  nothing is changed until you accept it; saved in /h/plan.md',
      '  1 Yes, auto-accept edits · ›2 Yes, ask for each edit · 3 No, revise the plan…',
      '  ctrl+g Edit the plan',
    ]);
  });

  it.each([
    ['1', { behavior: 'allow', always: acceptEdits }],
    ['2', { behavior: 'allow' }],
    ['enter', { behavior: 'allow' }],
  ])('TU-16: %s', async (name, answer) => {
    const { open, deliberate, given } = stage();
    await open(question);
    await deliberate(name);
    expect(given).toEqual([['p', answer]]);
  });

  it('TU-16: what is to be changed goes to the model; Esc answers nothing', async () => {
    const { open, deliberate, given, rows } = stage();
    await open(question);
    await deliberate('esc', 'y', 'backspace');
    expect([given, rows()]).toEqual([[], []]);
    const other = stage();
    await other.open(question);
    await other.deliberate('3');
    await other.type('smaller steps');
    expect(other.rows().slice(-2)).toEqual([
      '  what to revise: smaller steps',
      '  enter continues planning · esc back',
    ]);
    await other.deliberate('enter');
    expect(other.given).toEqual([['p', { behavior: 'deny', reason: 'smaller steps' }]]);
  });

  it('TU-16: Ctrl+G edits it: printed as it is now, and accepted so; nothing written leaves it as it was', async () => {
    const { open, deliberate, edits, clock, plans, rows, given } = stage();
    await open(question);
    await deliberate('ctrl+g');
    edits.shift()?.('  \n');
    await deliberate('ctrl+g');
    edits.shift()?.(undefined);
    await clock.settle();
    expect(plans).toEqual([plan.text]);
    await deliberate('ctrl+g');
    edits.shift()?.('# Plan\n1. do less\n');
    await clock.settle();
    expect(plans.at(-1)).toBe('# Plan\n1. do less\n');
    expect(rows()[0]).toBe('The main agent has a plan, with your changes');
    await deliberate('1');
    expect(given).toEqual([
      ['p', { behavior: 'allow', updatedInput: { plan: '# Plan\n1. do less\n' }, always: acceptEdits }],
    ]);
  });
});

describe('questions of the model', () => {
  const database = {
    question: 'Which database?',
    header: 'DB',
    options: [
      { label: 'Postgres', description: 'the big one', preview: 'a\nb' },
      { label: 'SQLite', description: '' },
    ],
  };
  const parts = {
    question: 'Which parts?',
    header: 'Parts',
    multiSelect: true,
    options: [
      { label: 'Login', description: '' },
      { label: 'Mail', description: 'and its queue' },
    ],
  };
  const asked = (id: string, questions: readonly (typeof database | typeof parts)[], agent = fork('fork-1')) =>
    ask(id, { about: 'questions', questions, agent, call: { id, ...namedInput('AskUserQuestion', { questions }) } });
  const answered = (answers: Record<string, string>) => ({ behavior: 'allow', updatedInput: { answers } });

  it('EX-16, TU-12: options with numbers, the preview of the highlighted one, own words', async () => {
    const { open, rows, deliberate, given } = stage();
    await open(asked('q', [database]));
    expect(rows()).toEqual([
      'fork-1 asks you',
      '  | DB: Which database?',
      '     | a',
      '     | b',
      '› 1  Postgres: the big one',
      '  2  SQLite',
      '  o  other…',
      '  n  skip',
    ]);
    await deliberate('down');
    expect(rows().slice(0, 4)).toEqual([
      'fork-1 asks you',
      '  | DB: Which database?',
      '  1  Postgres: the big one',
      '› 2  SQLite',
    ]);
    await deliberate('enter');
    expect(given).toEqual([['q', answered({ 'Which database?': 'SQLite' })]]);
  });

  it('EX-16: own words, and no answer', async () => {
    const { open, deliberate, type, given, frame } = stage();
    await open(asked('q', [database]));
    await deliberate('o');
    await type('files, 1');
    expect(frame().rows.slice(-2)).toEqual(['  your answer: files, 1', '  enter accept · esc back']);
    await deliberate('enter');
    expect(given).toEqual([['q', answered({ 'Which database?': 'files, 1' })]]);
    const other = stage();
    await other.open(asked('q', [database]));
    await other.deliberate('n');
    expect(other.given).toEqual([['q', { behavior: 'deny' }]]);
  });

  it('EX-16: several of the options, one question after another, and back', async () => {
    const { open, deliberate, given, rows } = stage();
    await open(asked('q', [database, parts]));
    expect(rows()[0]).toBe('fork-1 asks you: 1 of 2');
    await deliberate('2', 'b', '1', 'down', 'space');
    expect(rows()).toEqual([
      'fork-1 asks you: 2 of 2',
      '  | Parts: Which parts?',
      '  1  [ ] Login',
      '› 2  [x] Mail: and its queue',
      '  o  other…',
      '  -  skip this question',
      '  b  previous question',
      '  n  skip all',
      '  space mark · enter accept the marked',
    ]);
    await deliberate('1', 'enter');
    expect(given).toEqual([['q', answered({ 'Which database?': 'Postgres', 'Which parts?': 'Login, Mail' })]]);
  });

  it('EX-16: one is left out; own words beside options that are marked; Enter alone takes the highlighted one', async () => {
    const { open, deliberate, type, given } = stage();
    await open(asked('q', [database, parts]));
    await deliberate('-', '2', 'o');
    await type('tests\n');
    await deliberate('enter');
    expect(given).toEqual([['q', answered({ 'Which parts?': 'Mail, tests' })]]);
    const other = stage();
    await other.open(asked('q', [parts]));
    await other.deliberate('enter');
    expect(other.given).toEqual([['q', answered({ 'Which parts?': 'Login' })]]);
  });

  it('TU-15: the next question is not answered by a second key of the first', async () => {
    const { open, clock, press, given, rows } = stage();
    await open(asked('q', [database, parts]));
    await clock.advance(600);
    press(key('1'));
    await clock.advance(250);
    press(key('n'));
    await clock.advance(1_000);
    expect([given, rows()[0]]).toEqual([[], 'fork-1 asks you: 2 of 2']);
  });

  it('TU-14: the same from two agents is asked once', async () => {
    const { open, deliberate, given, rows } = stage();
    await open(asked('a', [database]), asked('b', [database], fork('fork-2')));
    expect(rows()[0]).toBe('fork-1 asks you; so does fork-2');
    await deliberate('1');
    expect(given.map(([id]) => id)).toEqual(['a', 'b']);
  });
});

describe('a form of a server', () => {
  const fields: readonly ElicitationField[] = [
    { name: 'n', title: 'Name', required: true, type: 'string' },
    { name: 'a', title: 'Age', required: false, type: 'integer', default: 4 },
    { name: 's', title: 'Sure', required: true, type: 'boolean' },
    {
      name: 'c',
      title: 'Colour',
      required: true,
      type: 'choice',
      choices: [
        { value: 'r', label: 'Red' },
        { value: 'g', label: 'Green' },
      ],
    },
  ];
  const form = ask('f', {
    about: 'elicitation',
    elicitation: { server: 'db', message: 'who?', mode: 'form', schema: {}, fields },
  });

  it('is asked for field by field, and sent only after a look at all of it', async () => {
    const { open, rows, deliberate, type, given } = stage();
    await open(form);
    expect(rows()).toEqual([
      'The MCP server db asks you',
      '  on behalf of the main agent',
      '  | who?',
      '  It asks for:',
      '  | Name (text, required)',
      '  | Age (whole number)',
      '  | Sure (yes or no, required)',
      '  | Colour (one of 2, required)',
      '  1  yes, fill it in field by field',
      '  3  no, decline',
      '  c  cancel without an answer',
    ]);
    await deliberate('enter');
    await deliberate('y', 'enter');
    expect(rows()).toEqual([
      'The MCP server db asks you',
      '  | Name (text, required)',
      '  Required.',
      '  1 of 4: ',
      '  enter next · esc back · you review everything before it is sent',
    ]);
    await type('Ann\n\nyes\n2\n');
    expect(rows()).toEqual([
      'The MCP server db asks you',
      '  To be sent to db:',
      '  | Name: Ann',
      '  | Age: 4',
      '  | Sure: yes',
      '  | Colour: Green',
      '  1  send it',
      '  2  enter it again',
      '  3  no, decline',
      '  c  cancel without an answer',
    ]);
    await deliberate('2', 'a', 'enter', 'esc');
    expect(rows().slice(-2)[0]).toBe('  1 of 4: Anna');
    await type('\n\n\n\n');
    expect(given).toEqual([]);
    await deliberate('1');
    expect(given).toEqual([['f', { behavior: 'allow', updatedInput: { n: 'Anna', a: 4, s: true, c: 'g' } }]]);
  });

  it.each([
    ['3', { behavior: 'deny' }],
    ['c', { behavior: 'deny', cancel: true }],
  ])('is declined or cancelled: %s', async (name, answer) => {
    const { open, deliberate, given } = stage();
    await open(form);
    await deliberate(name);
    expect(given).toEqual([['f', answer]]);
  });

  it('warns of a field for a secret; a page is opened by a yes', async () => {
    const { open, deliberate, rows } = stage();
    const secret: ElicitationField = { name: 'password', title: 'Password', required: true, type: 'string' };
    await open(
      ask('f', {
        about: 'elicitation',
        elicitation: { server: 'db', message: 'who?', mode: 'form', schema: {}, fields: [secret] },
      }),
    );
    await deliberate('1');
    expect(rows()[2]).toContain('! This looks like a password or a key.');
    const page = stage();
    const url = 'https://a.example/x';
    await page.open(ask('u', { about: 'elicitation', elicitation: { server: 'db', message: 'in', mode: 'url', url } }));
    expect(page.rows()).toContain(`  | ${url}`);
    await page.deliberate('1');
    expect(page.given).toEqual([['u', { behavior: 'allow' }]]);
  });
});

describe('what is not about a call', () => {
  it('agents that edit: in this session, always, or not', async () => {
    const offers = [{ kind: 'agents-edit', file: '/h/settings.json' }] as const;
    const question = ask('e', { about: 'agents-edit', offers });
    const { open, rows, deliberate, given } = stage();
    await open(question);
    expect(rows()).toEqual([
      'Let agents edit files in /p without asking?',
      '› 1  yes, in this session',
      '  2  always, in every folder (saved in /h/settings.json)',
      '  3  no, ask for each edit in this session',
    ]);
    await deliberate('2');
    expect(given).toEqual([['e', { behavior: 'allow', always: [{ kind: 'agents-edit' }] }]]);
  });

  it('notes of the team and what a skill is granted: yes or no, none highlighted', async () => {
    const { open, rows, deliberate, given } = stage();
    await open(ask('s', { about: 'skill-grants', reason: 'May the skill x do this?\nBash(npm test)\nruns: ls' }));
    expect(rows()).toEqual([
      'May the skill x do this?',
      '  | Bash(npm test)',
      '  | runs: ls',
      '  1  yes, and in later sessions, until the skill changes',
      '  3  no, use the skill without them',
    ]);
    await deliberate('enter', '3');
    expect(given).toEqual([['s', { behavior: 'deny' }]]);
    const notes = stage();
    await notes.open(ask('m', { about: 'memory-snapshot', reason: 'Take the notes of the team?' }));
    expect(notes.rows()).toEqual(['Take the notes of the team?', '  1  yes, use them', '  3  no, keep mine']);
    await notes.deliberate('y');
    expect(notes.given).toEqual([['m', { behavior: 'allow' }]]);
  });
});
