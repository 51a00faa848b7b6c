/** Scenarios: which rule answers, scenario files and their mistakes, the built-in ones. */

import { afterEach, describe, expect, it } from 'vitest';
import type { WireRequest, WireResponse } from '../../../src/model/anthropic/wire.js';
import {
  builtInScenarios,
  parseScenario,
  type Rule,
  type Scenario,
  type Sim,
  startSim,
} from '../../../src/sim/index.js';
import { assistant, call, errorOf, post, requestOf, result, tool, user } from './ask.js';

let sim: Sim | undefined;
afterEach(async () => {
  await sim?.close();
  sim = undefined;
});

async function answer(scenario: Scenario | readonly Rule[], body: WireRequest): Promise<string> {
  sim ??= await startSim({ scenario });
  const response = (await (await post(sim.url, body)).json()) as WireResponse;
  return response.content.map((block) => (block.type === 'text' ? block.text : block.type)).join('|');
}

const conversation = requestOf(
  [user('first words'), assistant(call('t1', 'Read', { file_path: '/a' })), user(result('t1', 'the content'))],
  { system: 'You are helpful', tools: [tool('Read')] },
);

describe('SF-9: conditions', () => {
  it.each<[string, Rule['when'], boolean]>([
    ['nothing asked', undefined, true],
    ['any', { any: true }, true],
    ['said anywhere', { said: 'first' }, true],
    ['said nowhere', { said: 'last' }, false],
    ['text said just now: none', { user: 'first' }, false],
    ['a result, as text', { result: 'content' }, true],
    ['a result, as pattern', { result: /^the \w+$/ }, true],
    ['a result of a tool', { result: { tool: 'Read', text: { matches: 'CONTENT', flags: 'i' } } }, true],
    ['a result of another tool', { result: { tool: 'Bash' } }, false],
    ['a failed result', { result: { error: true } }, false],
    ['the system prompt', { system: 'helpful' }, true],
    ['the model', { model: /opus/ }, true],
    ['another model', { model: 'haiku' }, false],
    ['the second request', { nth: 2 }, true],
    ['the first request', { nth: 1 }, false],
    ['a declared tool', { tool: 'Read' }, true],
    ['a tool that is not', { tool: 'Bash' }, false],
    ['the contrary', { not: { nth: 1 } }, true],
    ['a function', { where: (request) => request.results[0]?.id === 't1' }, true],
    ['all together', { said: 'first', system: 'helpful', nth: 1 }, false],
  ])('SF-9: %s', async (_, when, expected) => {
    const rules = [{ when, reply: 'yes' }, { reply: 'no' }];
    expect(await answer(rules, conversation)).toBe(expected ? 'yes' : 'no');
  });

  it('SF-9: the first rule that fits answers, until it is used up', async () => {
    const rules = [{ reply: 'a', times: 2 }, { reply: 'b', times: 1 }, { reply: 'c' }];
    const answers = [];
    for (let index = 0; index < 4; index++) answers.push(await answer(rules, conversation));
    expect(answers).toEqual(['a', 'a', 'b', 'c']);
  });

  it('SF-9: a pattern’s groups, the user’s text and the last result can be used in the reply', async () => {
    const rules = [
      { when: { said: /(?<adjective>\w+) words/ }, reply: ['{{adjective}} {{result}} {{unknown}}', { tool: 'A' }] },
    ];
    expect(await answer(rules, conversation)).toBe('first the content {{unknown}}|tool_use');
  });

  it('SF-9: a reply can be a function, even a slow or a broken one', async () => {
    sim = await startSim({
      scenario: [
        { times: 1, reply: async (request) => `request ${request.nth}, ${request.results[0]?.tool}` },
        {
          name: 'broken',
          reply: () => {
            throw new Error('oops');
          },
        },
      ],
    });
    expect(await answer([], conversation)).toBe('request 2, Read');
    const broken = await errorOf(await post(sim.url, conversation));
    expect(broken).toMatchObject({ status: 500, message: 'The reply of rule 2. broken failed: oops' });
  });

  it('SF-9: when no rule fits, the error describes the request and lists the rules', async () => {
    sim = await startSim({
      scenario: {
        name: 'sample',
        rules: [
          { name: 'once', times: 1, reply: 'a' },
          { when: { user: /x+/, not: { nth: 3 } }, reply: 'b' },
        ],
      },
    });
    await post(sim.url, conversation);
    const response = await post(sim.url, conversation);
    expect(response.headers.get('x-should-retry')).toBe('false');
    const { status, message } = await errorOf(response);
    expect(status).toBe(500);
    expect(message.split('\n')).toEqual([
      'No rule of the scenario "sample" matches this request.',
      'The request:',
      '  model: claude-opus-5-5, request 2 of its conversation',
      '  user: (no text in the last turn)',
      '  result: Read "the content"',
      '  said first: "first words"',
      '  system: "You are helpful"',
      'The rules:',
      '  1. once [used up: 1]',
      '  2. user /x+/, not (nth 3)',
    ]);
    expect(sim.unmatched).toEqual([`request #1: ${message}`]);
  });

  it('SF-9: another scenario can be taken up at any time', async () => {
    expect(await answer([{ reply: 'a' }], conversation)).toBe('a');
    sim?.use([{ reply: 'b' }]);
    expect(await answer([], conversation)).toBe('b');
  });
});

const FILE = `
name: read a file
rules:
  - when: { user: { matches: 'read (?<file>\\S+)' } }
    reply:
      - thinking: I should look at it.
      - Let me see.
      - tool: Read
        input: { file_path: '{{file}}' }
  - when:
      result: { tool: Read }
    reply: Done.
    fault: { kind: overloaded, retryAfter: 1, times: 1 }
  - fault: silence
    times: 1
`;

describe('SF-9: scenario files', () => {
  it('SF-9: YAML and JSON are equivalent', async () => {
    const yaml = parseScenario(FILE, 'a.yaml');
    if (!yaml.ok) throw new Error(yaml.mistakes.join('\n'));
    expect(parseScenario(JSON.stringify(yaml.scenario, null, '\t'), 'a.json')).toEqual(yaml);
    sim = await startSim({ scenario: yaml.scenario });
    const response = (await (await post(sim.url, requestOf([user('read /etc/hosts')]))).json()) as WireResponse;
    expect(response.content).toMatchObject([
      { type: 'thinking' },
      { text: 'Let me see.' },
      { name: 'Read', input: { file_path: '/etc/hosts' } },
    ]);
  });

  it.each([
    ['rules:\n  - when: { usr: hi }\n    reply: a', 'f.yaml:2: rules.0.when: Unrecognized key: "usr"'],
    ['rules:\n  - reply: a\n  - name: b', 'f.yaml:3: rules.1: a rule needs a `reply`, a `fault` or a `stop`'],
    ['rules:\n  - reply:\n    - tool: Read\n      inputs: {}', 'f.yaml:3: rules.0.reply.0: Unrecognized key: "inputs"'],
    [
      'rules:\n  - reply:\n    - a\n    - tool: Read\n      input: 3',
      'f.yaml:5: rules.0.reply.1.input: Invalid input: expected record',
    ],
    ['rules:\n  - fault: { kind: flood }', 'f.yaml:2: rules.0.fault'],
    ['rules:\n  - reply: a\n    times: 0', 'f.yaml:3: rules.0.times: Too small'],
    [
      "rules:\n  - reply: a\n    when:\n      user: { matches: '(' }",
      'f.yaml:4: rules.0.when.user.matches: Invalid regular expression',
    ],
    ['rules:\n  - reply: "a', 'f.yaml:2: Missing closing "quote'],
    ['{}', 'f.yaml:1: rules: Invalid input: expected array'],
  ])('SF-9: a mistake is named with its line: %j', (text, expected) => {
    const parsed = parseScenario(text, 'f.yaml');
    expect(parsed.ok ? [] : parsed.mistakes).toEqual([expect.stringContaining(expected)]);
  });
});

describe('SF-9: built-in scenarios', () => {
  /** Plays a scenario to its end, with every tool answering the same. */
  async function play(name: string, prompt: string): Promise<WireResponse['content'][number][]> {
    sim = await startSim({ scenario: builtInScenarios[name] });
    const said: WireResponse['content'][number][] = [];
    const messages = [user(prompt)];
    for (let turn = 0; turn < 10; turn++) {
      const response = (await (await post(sim.url, requestOf(messages))).json()) as WireResponse;
      said.push(...response.content);
      const calls = response.content.filter((block) => block.type === 'tool_use');
      if (calls.length === 0) return said;
      messages.push(
        assistant(...response.content),
        user(...calls.map((block) => result(block.id, `result of ${block.name}`))),
      );
    }
    throw new Error(sim.report());
  }

  it('SF-9: hello', async () => {
    expect(await play('hello', 'hi')).toMatchObject([{ type: 'text', text: expect.stringContaining('Hello') }]);
  });

  it('SF-9: read-and-edit', async () => {
    const said = await play('read-and-edit', 'Please change red to blue in /tmp/colours.txt');
    const calls = said.filter((block) => block.type === 'tool_use');
    expect(calls).toMatchObject([
      { name: 'Read', input: { file_path: '/tmp/colours.txt' } },
      { name: 'Edit', input: { file_path: '/tmp/colours.txt', old_string: 'red', new_string: 'blue' } },
    ]);
    expect(said.at(-1)).toMatchObject({ text: 'Done: `red` is now `blue` in /tmp/colours.txt.' });
  });

  it('SF-9: tour', async () => {
    const said = await play('tour', 'show me');
    const names = said.flatMap((block) => (block.type === 'tool_use' ? [block.name] : []));
    expect(names).toEqual(['Glob', 'Grep', 'TodoWrite', 'Bash']);
    expect(said.at(-1)).toMatchObject({ text: expect.stringContaining('result of Bash') });
  });
});
