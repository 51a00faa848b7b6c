/** Plan mode and questions of the model, with the real program: headless, over stream-json, line by line (EX-5, EX-15, EX-16). */

import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Reply, Rule } from '../../../../src/sim/index.js';
import { gate, onceOpen } from '../../../support/gate.js';
import { until } from '../../../support/until.js';
import { count, type PlainStage, setPlainStage } from '../plain/plain-stage.js';

const PLAN = '# Plan\n\n1. write a.txt';
const PLANNING: Rule[] = [
  { when: { result: { tool: 'Write' } }, reply: 'Written.' },
  { when: { result: { tool: 'ExitPlanMode', error: true } }, reply: 'Heard: {{result}}' },
  {
    when: { result: { tool: 'ExitPlanMode' } },
    reply: [{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }],
  },
  { when: { user: /^plan\b/m }, reply: ['Here:', { tool: 'ExitPlanMode', input: { plan: PLAN }, id: 'toolu_plan' }] },
];
const QUESTIONS = [
  {
    question: 'Which database?\n? y',
    header: 'Database',
    options: [
      { label: 'SQLite', description: 'one file', preview: 'a\u001b[31mb\nsecond' },
      { label: 'Post\u202egres', description: '' },
    ],
  },
  {
    question: 'Which parts?',
    header: 'Parts',
    multiSelect: true,
    options: [
      { label: 'API', description: 'a' },
      { label: 'CLI', description: 'b' },
      { label: 'Docs', description: 'c' },
    ],
  },
];
const ASKING: Rule[] = [
  { when: { result: { tool: 'AskUserQuestion' } }, reply: 'Heard: {{result}}' },
  {
    when: { user: /^ask\b/m },
    reply: [{ tool: 'AskUserQuestion', input: { questions: QUESTIONS, answers: { forged: 'x' } }, id: 'toolu_ask' }],
  },
];

describe('EX-15: headless', () => {
  it.each(['text', 'json', 'stream-json'])('EX-15: as %s: the plan is the result, with exit code 0', async (format) => {
    const stage = await setPlainStage(PLANNING);
    const program = stage.pipe(['-p', 'plan it', '--permission-mode', 'plan', '--output-format', format]);
    expect(await program.end()).toBe(0);
    if (format === 'text') return expect(program.stdout()).toBe(`${PLAN}\n`);
    const result = JSON.parse(program.stdout().trim().split('\n').at(-1) ?? '{}');
    expect(result).toMatchObject({
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: PLAN,
      num_turns: 1,
      permission_denials: [],
    });
    expect(stage.sim.requests).toHaveLength(1);
  });

  it('EX-5: a question has nobody to answer it, and the model can act on that', async () => {
    const stage = await setPlainStage(ASKING);
    const program = stage.pipe(['-p', 'ask me', '--output-format', 'json']);
    expect(await program.end()).toBe(0);
    expect(JSON.parse(program.stdout()).result).toContain('Nobody can be asked in this run');
  });
});

const ARGS = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json'];

async function drive(stage: PlainStage, prompt: string, response: object, args: readonly string[] = []) {
  const client = stage.pipe([...ARGS, '--permission-prompt-tool', 'stdio', ...args]);
  client.say(JSON.stringify({ type: 'user', message: { role: 'user', content: prompt } }));
  await client.until(/"can_use_tool".*\n/);
  const lines = () =>
    client
      .stdout()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  const { request_id, request } = lines().find(({ type }) => type === 'control_request');
  client.say(JSON.stringify({ type: 'control_response', response: { subtype: 'success', request_id, response } }));
  await client.until(/"type":"result".*\n/);
  const code = await client.end();
  return { code, request, lines, result: lines().find(({ type }) => type === 'result') };
}

describe('stream-json', () => {
  it('EX-15: the plan comes as can_use_tool with the mode as a suggestion; the suggestion taken is acceptEdits', async () => {
    const stage = await setPlainStage(PLANNING);
    const suggestion = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };
    const { request, result } = await drive(
      stage,
      'plan it',
      { behavior: 'allow', updatedInput: { plan: PLAN }, updatedPermissions: [suggestion] },
      ['--permission-mode', 'plan'],
    );
    expect(request).toMatchObject({
      tool_name: 'ExitPlanMode',
      tool_use_id: 'toolu_plan',
      input: { plan: PLAN, planFilePath: expect.stringMatching(/\/plan\.md$/) },
      permission_suggestions: [suggestion],
    });
    expect(result).toMatchObject({ result: 'Written.', permission_denials: [] });
    expect(await stage.read('a.txt')).toBe('x');
  });

  it('EX-15: a mode that was not offered is not taken, with a line', async () => {
    const stage = await setPlainStage(PLANNING);
    const wider = { type: 'setMode', mode: 'bypassPermissions', destination: 'session' };
    const { lines } = await drive(stage, 'plan it', { behavior: 'deny', message: 'Use b.txt' }, [
      '--permission-mode',
      'plan',
    ]);
    expect(JSON.stringify(lines())).toContain('Use b.txt');
    const other = await setPlainStage([
      { when: { result: { tool: 'ExitPlanMode' } }, reply: 'On.' },
      ...PLANNING.slice(-1),
    ]);
    const accepted = await drive(other, 'plan it', { behavior: 'allow', updatedPermissions: [wider] }, [
      '--permission-mode',
      'plan',
    ]);
    expect(JSON.stringify(accepted.lines())).toContain('was not offered with the plan');
    expect(JSON.stringify(other.sim.requests.at(-1)?.body.messages)).toContain('now in the mode default');
  });

  it('EX-16: questions come as can_use_tool, and updatedInput.answers apply', async () => {
    const stage = await setPlainStage(ASKING);
    const answers = { 'Which database?\n? y': 'SQLite', 'Which parts?': 'API, Docs', forged: 'x' };
    const { request, result } = await drive(stage, 'ask me', {
      behavior: 'allow',
      updatedInput: { questions: QUESTIONS, answers },
    });
    expect(request).toMatchObject({
      tool_name: 'AskUserQuestion',
      tool_use_id: 'toolu_ask',
      input: { questions: QUESTIONS },
    });
    expect(Object.keys(request.input)).toEqual(['questions']);
    expect(result.result).toContain('- "Which database?\\n? y": "SQLite"\n- "Which parts?": "API, Docs"');
    expect(result.result).not.toContain('forged');
  });

  it('EX-16: a client that gives everything back as it was has not answered', async () => {
    const stage = await setPlainStage(ASKING);
    const { result } = await drive(stage, 'ask me', { behavior: 'allow', updatedInput: { questions: QUESTIONS } });
    expect(result.result).toContain('No answer came');
  });
});

describe('--plain', () => {
  const planning = (stage: PlainStage) => stage.pipe(['--plain', '--permission-mode', 'plan']);

  it('EX-15: shows the plan and the answers; e continues in acceptEdits', async () => {
    const stage = await setPlainStage(PLANNING);
    const plain = planning(stage);
    for (const line of ['plan it', 'what', '/cost', 'e']) plain.say(line);
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toMatch(
      /The main agent has a plan\n {2}nothing is changed until you accept it; saved in \S+\/plan\.md\n {2}\| # Plan\n {2}\| \n {2}\| 1\. write a\.txt\nAccept it\?\n {2}y {2}yes, ask for each edit\n {2}e {2}yes, auto-accept edits in this session \(mode acceptEdits\)\n {2}c {2}edit the plan first\n {2}n {2}no, keep planning\n/,
    );
    expect(plain.stdout()).toContain('That is not one of the choices.');
    expect(count(plain.stdout(), 'asks to use Write')).toBe(0);
    expect(await stage.read('a.txt')).toBe('x');
  });

  it('EX-15: y asks about each change; a remark goes back to the model', async () => {
    const stage = await setPlainStage(PLANNING);
    const plain = planning(stage);
    for (const line of [
      'plan it',
      'n: use b.txt',
      'plan it again',
      'r',
      'smaller steps',
      'plan it once more',
      'y',
      'y',
    ]) {
      plain.say(line);
    }
    expect(await plain.end()).toBe(0);
    for (const said of ['use b.txt', 'smaller steps']) expect(plain.stdout()).toContain(`says:\n${said}\n`);
    expect(count(plain.stdout(), 'asks to use Write')).toBe(1);
    expect(await stage.read('a.txt')).toBe('x');
  });

  it('EX-15: c: the user changes the plan in its file, sees it again, and that one is accepted', async () => {
    const stage = await setPlainStage(PLANNING);
    const plain = planning(stage);
    plain.say('plan it');
    await plain.until('Accept it?');
    plain.say('c');
    await plain.until('Edit it there');
    const file = /The plan is in (\S+)/.exec(plain.stdout())?.[1] ?? '';
    expect(await readFile(file, 'utf8')).toBe(`${PLAN}\n`);
    await writeFile(file, 'Only b.txt\u001b[2J\n');
    plain.say('');
    await plain.until('  | Only b.txt\\u{1b}[2J\n');
    plain.say('e');
    expect(await plain.end()).toBe(0);
    expect(JSON.stringify(stage.sim.requests[1]?.body.messages)).toContain('Carry out this plan, not yours');
    expect(await readFile(file, 'utf8')).toContain('Only b.txt');
  });

  it('EX-16: one question after the other, with numbers, previews and free text; nothing of it can look like ours', async () => {
    const stage = await setPlainStage(ASKING);
    const plain = stage.pipe();
    for (const line of ['ask me', '7', '1,2', '1', '1,3']) plain.say(line);
    expect(await plain.end()).toBe(0);
    const shown = plain.stdout();
    expect(shown).toContain(
      'The main agent asks you 2 questions\nQuestion 1 of 2\n  | Database: Which database?\n  | ? y\n  1  SQLite: one file\n',
    );
    expect(shown).not.toContain('\u001b[31m');
    expect(shown).not.toContain('\u202e');
    expect(shown).toMatch(/ {5}\| a\S+b\n {5}\| second\n/);
    expect(shown).toContain('Choose 1 to 2; write =5 to answer with a number.');
    expect(shown).toContain('Choose only one.');
    expect(shown).toContain('"Which parts?": "API, Docs"');
  });

  it('EX-16: free text is an answer, - leaves one out, an empty line leaves all out', async () => {
    const stage = await setPlainStage(ASKING);
    const plain = stage.pipe();
    for (const line of ['ask me', 'a file, 2 of them', '-', 'ask again', '=5', '']) plain.say(line);
    expect(await plain.end()).toBe(0);
    expect(plain.stdout()).toContain('"a file, 2 of them"');
    expect(plain.stdout()).toContain('"Which parts?": no answer; that is no consent');
    expect(plain.stdout()).toContain('The person did not answer.');
  });

  it('EX-16: at a terminal, what is being typed when it comes is no answer', async () => {
    const held = gate();
    const [heard, asking] = ASKING as [Rule, Rule & { reply: Reply }];
    const stage = await setPlainStage([heard, { ...asking, reply: onceOpen(held, asking.reply) }]);
    const screen = stage.screen();
    await screen.until('> ');
    screen.type('ask me\r');
    await until(() => stage.sim.requests.length === 1, 'the request');
    screen.type('11');
    await screen.until(/^> 11$/m);
    held.open();
    await screen.until('your line is kept until you have answered this');
    await screen.until(/have answered this\)\n\? $/m);
    screen.type('\r');
    await screen.until('The person did not answer.');
    expect(screen.text()).not.toContain('The person answered');
    screen.process.kill('SIGKILL');
  });
});
