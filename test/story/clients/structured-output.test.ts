/** CL-2: `outputSchema` makes every prompt end with a value that fits it, or with a result that explains why not. */

import { expect, it } from 'vitest';
import type { Rule } from '../../../src/sim/index.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';

const SCHEMA = {
  type: 'object',
  properties: { n: { type: 'number' }, words: { type: 'array', items: { type: 'string' } } },
  required: ['n'],
  additionalProperties: false,
};

const give = (input: unknown): Rule['reply'] => [{ tool: 'StructuredOutput', input }];
/** The last message that the n-th request had. */
const heard = (stage: Stage, request: number) => JSON.stringify(stage.sim.requests[request]?.body.messages.at(-1));
const outputToolOf = (stage: Stage) => {
  const tool = (stage.sim.requests[0]?.body.tools ?? []).find(({ name }) => name === 'StructuredOutput');
  return tool && 'input_schema' in tool ? tool : undefined;
};

it('CL-2: a value that fits ends the run at once, as a value and as its JSON', async () => {
  const stage = await setStage([{ reply: ['Here.', { tool: 'StructuredOutput', input: { n: 1, words: ['a'] } }] }]);
  const session = await stage.open({ outputSchema: SCHEMA });
  const end = await session.send('Count.');
  expect(end).toMatchObject({ reason: 'completed', structured: { n: 1, words: ['a'] }, text: '{"n":1,"words":["a"]}' });
  expect(stage.sim.requests).toHaveLength(1);
  expect(outputToolOf(stage)?.input_schema).toEqual(SCHEMA);
  expect(eventsOf(stage, 'question-asked')).toEqual([]);
  expectAllAccepted(stage.sim);
});

it('CL-2: without a schema there is no such tool, and no value', async () => {
  const stage = await setStage([{ reply: 'Hello.' }]);
  const end = await (await stage.open()).send('Hi.');
  expect(outputToolOf(stage)).toBeUndefined();
  expect(end).not.toHaveProperty('structured');
});

it('CL-2: a value that does not fit is refused with the paths, and the next may fit', async () => {
  const stage = await setStage([
    { when: { nth: 1 }, reply: give({ n: 'one', words: [1], more: true }) },
    { reply: give({ n: 2 }) },
  ]);
  const end = await (await stage.open({ outputSchema: SCHEMA })).send('Count.');
  expect(end).toMatchObject({ reason: 'completed', structured: { n: 2 } });
  const said = heard(stage, 1);
  expect(said).toContain('/n must be number');
  expect(said).toContain('/words/0 must be string');
  expect(said).toContain('must NOT have additional properties');
  expectAllAccepted(stage.sim);
});

it('CL-2: after five tries the run fails and shows what was wrong last', async () => {
  const stage = await setStage([{ reply: give({ n: 'no' }) }]);
  const end = await (await stage.open({ outputSchema: SCHEMA })).send('Count.');
  expect(end).toMatchObject({
    reason: 'no_structured_output',
    line: expect.stringMatching(/^Failed to provide valid structured output after 5 attempts: .*\/n must be number/),
  });
  expect(end).not.toHaveProperty('structured');
  expect(stage.sim.requests).toHaveLength(5);
  expectAllAccepted(stage.sim);
});

it('CL-2: text alone is answered with a reminder, which is treated as a try', async () => {
  const stage = await setStage([
    { when: { nth: 1 }, reply: 'It is one.' },
    { when: { nth: 2, user: 'You have not called StructuredOutput' }, reply: give({ n: 1 }) },
    { when: { said: 'Never.' }, reply: 'No.' },
  ]);
  const session = await stage.open({ outputSchema: SCHEMA });
  expect(await session.send('Count.')).toMatchObject({ reason: 'completed', structured: { n: 1 } });
  const before = stage.sim.requests.length;
  const never = await session.send('Never.');
  expect(never).toMatchObject({
    reason: 'no_structured_output',
    line: 'Failed to provide valid structured output after 5 attempts: StructuredOutput was not called',
  });
  expect(stage.sim.requests).toHaveLength(before + 5);
  expectAllAccepted(stage.sim);
});

it('CL-2: each prompt of a session needs its own value, and other tools work before it', async () => {
  const stage = await setStage([
    { when: { user: 'First.' }, reply: give({ n: 1 }) },
    { when: { user: 'Second.' }, reply: [{ tool: 'TodoWrite', input: { todos: [] } }] },
    { when: { result: { tool: 'TodoWrite' } }, reply: 'Two.' },
    { when: { user: 'You have not called' }, reply: give({ n: 2 }) },
  ]);
  const session = await stage.open({ outputSchema: SCHEMA });
  expect(await session.send('First.')).toMatchObject({ structured: { n: 1 } });
  expect(await session.send('Second.')).toMatchObject({ reason: 'completed', structured: { n: 2 } });
  expectAllAccepted(stage.sim);
});

it('CL-2: what is no object is given as the field `value`, and taken out of it; references lead where they led', async () => {
  const schema = {
    $defs: { node: { type: 'object', properties: { kids: { $ref: '#' } }, required: ['kids'] } },
    type: 'array',
    items: { $ref: '#/$defs/node' },
  };
  const stage = await setStage([
    { when: { nth: 1 }, reply: give({ value: [{ kids: [{ kids: 3 }] }] }) },
    { when: { nth: 2 }, reply: give({}) },
    { reply: give({ value: [{ kids: [] }] }) },
  ]);
  const end = await (await stage.open({ outputSchema: schema })).send('List.');
  expect(end).toMatchObject({ reason: 'completed', structured: [{ kids: [] }], text: '[{"kids":[]}]' });
  expect(outputToolOf(stage)?.input_schema).toMatchObject({
    type: 'object',
    required: ['value'],
    properties: { value: { items: { $ref: '#/properties/value/$defs/node' } } },
  });
  expect(heard(stage, 1)).toContain('/0/kids/0/kids must be array');
  expect(heard(stage, 2)).toContain('the field `value` is missing');
  expectAllAccepted(stage.sim);
});

it.each([
  [
    'a choice at the root',
    { anyOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { type: 'null' }] },
    null,
  ],
  ['a text', { type: 'string' }, 'words'],
  ['a name the API does not take', { type: 'object', properties: { 'a b': { type: 'number' } } }, { 'a b': 1 }],
  ['false', { const: false }, false],
])('CL-2: %s works as a result, too', async (_, outputSchema, value) => {
  const stage = await setStage([{ reply: give({ value }) }]);
  const end = await (await stage.open({ outputSchema })).send('Go.');
  expect(end).toMatchObject({ reason: 'completed', text: JSON.stringify(value) });
  expect(end.structured).toEqual(value);
  expectAllAccepted(stage.sim);
});

it('CL-2: draft-07 with definitions is understood', async () => {
  const outputSchema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    definitions: { id: { type: 'integer' } },
    properties: { id: { $ref: '#/definitions/id' } },
  };
  const stage = await setStage([{ when: { nth: 1 }, reply: give({ id: 1.5 }) }, { reply: give({ id: 2 }) }]);
  expect(await (await stage.open({ outputSchema })).send('Go.')).toMatchObject({ structured: { id: 2 } });
  expect(heard(stage, 1)).toContain('/id must be integer');
  expectAllAccepted(stage.sim);
});

const cyclic: Record<string, unknown> = { type: 'object' };
cyclic.properties = { self: cyclic };
const deep = () => {
  let schema: object = { type: 'string' };
  for (let level = 0; level < 200; level += 1) schema = { type: 'array', items: schema };
  return schema as Record<string, unknown>;
};

it.each([
  ['an unknown type', { type: 'object', properties: { a: { type: 'strin' } } }, /\/properties\/a\/type/],
  ['a number as a schema', { type: 'object', properties: { a: 5 } }, /\/properties\/a must be object,boolean/],
  ['a reference that leads nowhere', { type: 'object', properties: { a: { $ref: '#/$defs/no' } } }, /#\/\$defs\/no/],
  ['a reference to the web', { $ref: 'https://example.com/schema.json' }, /example\.com\/schema\.json/],
  ['a pattern that is none', { type: 'string', pattern: '(' }, /\/pattern/],
  ['an old dialect', { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' }, /draft-04/],
  ['a value in a circle', cyclic, /can't be written as JSON/],
  ['a very large one', { type: 'string', description: 'x'.repeat(200_000) }, /at most 100000/],
  ['a very deep one', deep(), /more than 64 levels/],
  ['one that answers later', { $async: true, type: 'object' }, /\$async/],
])('CL-2: a schema with %s is refused when the session is opened', async (_, outputSchema, reason) => {
  const stage = await setStage();
  await expect(stage.open({ outputSchema })).rejects.toThrow(reason);
  await expect(stage.open({ outputSchema })).rejects.toThrow(/--json-schema/);
});
