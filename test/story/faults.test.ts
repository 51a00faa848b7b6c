/** LC-23: what the model or the way to it can do wrong. Each leaves a valid conversation and a visible line. */

import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { Session } from '../../src/front/sdk/session.js';
import { text } from '../../src/protocol/blocks.js';
import type { Fault, Reply, Rule } from '../../src/sim/index.js';
import { fastHost } from '../support/hosts/fast-host.js';
import { eventsOf, faultLines, readingTool, type Stage, setStage } from '../support/story.js';
import { lastSent } from '../support/wire-body.js';

const STILL_THERE: Rule = { when: { user: 'still there?' }, reply: 'still here' };
const look = readingTool('Look', async () => 'seen');

/** The next prompt works, and nothing was refused but what the script refused. */
async function expectSound(stage: Stage, session: Session): Promise<void> {
  expect(await session.send('still there?')).toMatchObject({ reason: 'completed', text: 'still here' });
  expect(stage.sim.unmatched).toEqual([]);
  const refused = stage.sim.requests.filter(({ status, fault }) => status !== 200 && fault === undefined);
  expect(refused.map(({ error }) => error)).toEqual([]);
}

const PASSING: readonly (readonly [name: string, fault: Fault, line: RegExp])[] = [
  ['429 with retry-after', { kind: 'rate_limit', retryAfter: 1 }, /rate limit.* · retrying in 1\.0 s \(attempt 1\)/],
  ['429 without retry-after', { kind: 'rate_limit' }, /rate limit.* · retrying/],
  ['529 with retry-after', { kind: 'overloaded', retryAfter: 0 }, /Overloaded · retrying in 0\.0 s/],
  ['529 without retry-after', { kind: 'overloaded' }, /Overloaded · retrying/],
  ['500 as JSON', { kind: 'server_error' }, /HTTP 500: Internal server error · retrying/],
  ['502 as HTML', { kind: 'server_error', status: 502, body: 'html' }, /^HTTP 502: .* · retrying/],
  ['503 as JSON', { kind: 'server_error', status: 503 }, /HTTP 503/],
  ['504 as HTML', { kind: 'server_error', status: 504, body: 'html' }, /HTTP 504/],
  [
    'a cut before the headers',
    { kind: 'disconnect', at: 'headers' },
    /no connection to http:\/\/127.0.0.1:\d+: .* · retrying/,
  ],
  ...[0, 1, 3, 5].map(
    (at) => [`a cut at event ${at}`, { kind: 'disconnect', at }, /the response ended early.* · retrying/] as const,
  ),
  ['a cut inside an event', { kind: 'disconnect', at: 3, inside: true }, /the response ended early.* · retrying/],
  ['a stream that is not JSON', { kind: 'malformed', how: 'json', at: 2 }, /the response is not valid · retrying/],
  ['an overload in mid-stream', { kind: 'error_event', at: 3 }, /Overloaded · retrying/],
  [
    'an error of the server in mid-stream',
    { kind: 'error_event', at: 2, type: 'api_error', message: 'oops' },
    /oops · retrying/,
  ],
];

it.each(PASSING)('LC-23: %s is tried again, once, with one visible line', async (_name, fault, line) => {
  const reply: Reply = [{ thinking: 'let me see' }, 'I look.', { tool: 'Look' }];
  const stage = await setStage([
    STILL_THERE,
    { when: { nth: 1 }, fault: { ...fault, times: 1 }, reply },
    { when: { nth: 2 }, reply: 'done' },
  ]);
  const session = await stage.open({ host: fastHost(stage.folder, stage.env), tools: [look] });
  expect(await session.send('go')).toMatchObject({ reason: 'completed', text: 'done' });
  expect(stage.sim.requests).toHaveLength(3);
  expect(faultLines(stage)).toHaveLength(1);
  expect(faultLines(stage)[0]).toMatch(line);
  // What was streamed before the cut is taken back: nothing of it is in the conversation twice.
  expect(eventsOf(stage, 'response-discarded')).toHaveLength(1);
  expect(eventsOf(stage, 'assistant-replied')).toHaveLength(2);
  await expectSound(stage, session);
});

it('LC-23: lines that belong to no event of the stream are passed over', async () => {
  const stage = await setStage([
    STILL_THERE,
    { fault: { kind: 'malformed', how: 'garbage', at: 2 }, reply: 'all the same' },
  ]);
  const session = await stage.open();
  expect(await session.send('go')).toMatchObject({ reason: 'completed', text: 'all the same' });
  await expectSound(stage, session);
});

it.each([
  ['before the first event', 0],
  ['in mid-stream', 4],
] as const)('LC-23: a stream that falls silent %s is given up and tried again', async (_name, at) => {
  const stage = await setStage([STILL_THERE, { fault: { kind: 'silence', at, times: 1 }, reply: 'after the silence' }]);
  await stage.settings({ stallMs: 300 });
  const session = await stage.open();
  expect(await session.send('go')).toMatchObject({ reason: 'completed', text: 'after the silence' });
  expect(faultLines(stage)).toEqual([expect.stringMatching(/the model sent nothing for too long · retrying/)]);
  await expectSound(stage, session);
});

it('LC-23: a fault that does not pass ends the run after several tries, and the session can continue', async () => {
  const stage = await setStage([STILL_THERE, { fault: { kind: 'server_error', status: 503 } }]);
  const session = await stage.open({ host: fastHost(stage.folder, stage.env, 100) });
  const end = await session.send('go');
  expect(end).toMatchObject({
    reason: 'api_error',
    line: expect.stringMatching(/HTTP 503.*gave up after 9 tries/),
  });
  expect(stage.sim.requests).toHaveLength(9);
  expect(faultLines(stage)).toHaveLength(9);
  await expectSound(stage, session);
});

it('LC-23: a server that asks for more patience than ten minutes is reported to the user, not waited for, neither now nor at the next prompt', async () => {
  const stage = await setStage([STILL_THERE, { fault: { kind: 'rate_limit', retryAfter: 3600 } }]);
  const session = await stage.open();
  expect(await session.send('go')).toMatchObject({
    reason: 'api_error',
    line: expect.stringMatching(/rate limit.*the server asks to retry in 60 minutes; not waiting that long/),
  });
  expect(faultLines(stage)).toEqual([expect.stringContaining('asks to retry in 60 minutes')]);
  expect(faultLines(stage)[0]).not.toContain('gave up');
  expect(stage.sim.requests).toHaveLength(1);
  await expectSound(stage, session);
});

it('LC-23: max_tokens inside a call: the call is not run, the model is informed', async () => {
  const stage = await setStage([
    STILL_THERE,
    {
      when: { nth: 1 },
      fault: { kind: 'max_tokens' },
      reply: ['I write.', { tool: 'Write', input: { file_path: '/never/written.txt', content: 'x'.repeat(500) } }],
    },
    {
      when: { nth: 2, result: { error: true, text: /reached the output limit inside this call/ } },
      reply: 'smaller then',
    },
  ]);
  const session = await stage.open({ permissionMode: 'bypassPermissions' });
  expect(await session.send('go')).toMatchObject({ reason: 'completed', text: 'smaller then' });
  expect(eventsOf(stage, 'call-started')).toEqual([]);
  expect(faultLines(stage)).toEqual(['the model sent an invalid Write call; it was not run']);
  await expectSound(stage, session);
});

it('LC-23: max_tokens inside a call whose JSON happens to be whole is not run either; the calls before it are', async () => {
  const stage = await setStage([
    STILL_THERE,
    {
      when: { nth: 1 },
      stop: 'max_tokens',
      reply: [
        { tool: 'Look', input: { n: 1 } },
        { tool: 'Look', input: { n: 2 } },
      ],
    },
    { when: { nth: 2 }, reply: 'done' },
  ]);
  const session = await stage.open({ tools: [look] });
  expect((await session.send('go')).reason).toBe('completed');
  expect(
    eventsOf(stage, 'call-finished')
      .map(({ isError }) => isError)
      .sort(),
  ).toEqual([false, true]);
  expect(eventsOf(stage, 'call-started')).toHaveLength(1);
  await expectSound(stage, session);
});

it('LC-23: a reply in words that hits the limit is asked to continue', async () => {
  const stage = await setStage([
    STILL_THERE,
    { when: { nth: 1 }, fault: { kind: 'max_tokens' }, reply: 'a long story that does not end' },
    { when: { nth: 2, user: 'cut off at the output limit' }, reply: 'the end' },
  ]);
  const session = await stage.open();
  // What was said before the limit belongs to the answer.
  expect(await session.send('go')).toMatchObject({
    reason: 'completed',
    text: expect.stringMatching(/^a long story.*the end$/),
  });
  await expectSound(stage, session);
});

it.each([
  ['half an object', '{"n": 1'],
  ['a list', '[1,2]'],
  ['prose', 'n is one'],
])('LC-23: tool input that is %s: not run, the model sees what it wrote', async (_name, json) => {
  const stage = await setStage([
    STILL_THERE,
    { when: { nth: 1 }, reply: [{ tool: 'Look', json }] },
    { when: { nth: 2, result: { error: true, text: json } }, reply: 'sorry' },
  ]);
  const session = await stage.open({ tools: [look] });
  expect(await session.send('go')).toMatchObject({ reason: 'completed', text: 'sorry' });
  expect(faultLines(stage)).toHaveLength(1);
  expect(eventsOf(stage, 'call-started')).toEqual([]);
  await expectSound(stage, session);
});

it('LC-23: an unknown tool gets an error result with the nearest names', async () => {
  const stage = await setStage([
    STILL_THERE,
    {
      when: { nth: 1 },
      reply: [
        { tool: 'Raed', input: {} },
        { tool: 'not a name at all!', input: {} },
      ],
    },
    {
      when: { nth: 2, result: { error: true, text: /There is no tool "Raed"\. Nearest: Read/ } },
      reply: 'Read, of course',
    },
  ]);
  const session = await stage.open();
  expect(await session.send('go')).toMatchObject({ reason: 'completed', text: 'Read, of course' });
  expect(faultLines(stage)).toEqual([
    'the model called an unknown tool: Raed',
    'the model called an unknown tool: not_a_name_at_all_',
  ]);
  await expectSound(stage, session);
});

it('LC-23: a call id that comes twice is made unique', async () => {
  const stage = await setStage([
    STILL_THERE,
    {
      when: { nth: 1 },
      reply: [
        { tool: 'Look', id: 'same', input: { n: 1 } },
        { tool: 'Look', id: 'same', input: { n: 2 } },
      ],
    },
    { when: { nth: 2 }, reply: [{ tool: 'Look', id: 'same', input: { n: 3 } }] },
    { when: { nth: 3 }, reply: 'done' },
  ]);
  const session = await stage.open({ tools: [look] });
  expect((await session.send('go')).reason).toBe('completed');
  await expectSound(stage, session);
});

it.each([
  ['thinking', [{ thinking: 'hm' }]],
  ['thinking and white space', [{ thinking: 'hm' }, '  ']],
])('LC-23: a reply of %s alone ends the turn with a visible line', async (_name, reply) => {
  const stage = await setStage([STILL_THERE, { reply }]);
  const session = await stage.open();
  expect(await session.send('go')).toMatchObject({ reason: 'completed', text: '' });
  expect(faultLines(stage)).toEqual(['the model thought and ended its turn without an answer']);
  await expectSound(stage, session);
});

it('LC-23: a refusal ends the run with its reason; nothing of it stays in the conversation', async () => {
  const stage = await setStage([STILL_THERE, { fault: 'refusal', reply: 'I can not' }]);
  const session = await stage.open();
  expect(await session.send('go')).toMatchObject({ reason: 'refused', line: expect.stringContaining('refused') });
  expect(faultLines(stage)).toEqual([expect.stringContaining('refused')]);
  await expectSound(stage, session);
});

it('LC-23: pause_turn: the model is asked again with what it said, and continues', async () => {
  const stage = await setStage([
    STILL_THERE,
    { fault: { kind: 'pause_turn', times: 2 }, reply: (request) => (request.nth === 1 ? 'so far' : 'and done') },
  ]);
  const session = await stage.open();
  expect(await session.send('go')).toMatchObject({ reason: 'completed', text: 'so farand doneand done', turns: 3 });
  expect(faultLines(stage)).toHaveLength(2);
  await expectSound(stage, session);
});

it('LC-23: a model that pauses for ever does not run for ever', async () => {
  const stage = await setStage([STILL_THERE, { fault: 'pause_turn', reply: 'not yet' }]);
  const session = await stage.open();
  expect(await session.send('go')).toMatchObject({ reason: 'completed', turns: 11 });
  await expectSound(stage, session);
});

it('LC-23: overflow: the conversation is compacted once and the request continues', async () => {
  const stage = await setStage([
    STILL_THERE,
    { when: { user: '<compaction>' }, reply: 'we spoke of trees' },
    { when: { nth: 2 }, fault: { kind: 'overflow', times: 1 }, reply: 'never said' },
    { when: { user: 'we spoke of trees' }, reply: 'going on' },
    { reply: 'trees are fine' },
  ]);
  const session = await stage.open();
  await session.send('tell me of trees');
  expect(await session.send('more')).toMatchObject({ reason: 'completed', text: 'going on' });
  expect(faultLines(stage)).toEqual([expect.stringMatching(/no longer fits.*compacting/)]);
  expect(eventsOf(stage, 'history-compacted')).toMatchObject([{ trigger: 'overflow' }]);
  await expectSound(stage, session);
});

it('LC-23: overflow again after the compaction is reported, not tried for ever', async () => {
  const stage = await setStage([
    STILL_THERE,
    { when: { user: '<compaction>' }, reply: 'we spoke of trees' },
    { when: { said: 'more' }, fault: 'overflow' },
    { reply: 'trees are fine' },
  ]);
  const session = await stage.open();
  await session.send('tell me of trees');
  const end = await session.send('more');
  expect(end).toMatchObject({ reason: 'overflow', line: expect.stringContaining('no longer fits') });
  expect(faultLines(stage)).toHaveLength(2);
  stage.sim.use([STILL_THERE]);
  await expectSound(stage, session);
});

/** A PNG as far as its first bytes go. */
const PNG = Buffer.concat([
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
  Buffer.from('00000001000000010802000000907753de', 'hex'),
]).toString('base64');
const image = (data: string) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }) as const;

it('LC-23: a bad image of the user is replaced by a note once, and the session continues', async () => {
  const stage = await setStage([
    STILL_THERE,
    { when: { user: 'Left out, because the API refused it' }, reply: 'no picture then' },
  ]);
  const session = await stage.open();
  const broken = image(Buffer.from('this is no picture at all').toString('base64'));
  const end = await session.send([text('what is this?'), broken]);
  expect(end).toMatchObject({ reason: 'completed', text: 'no picture then' });
  expect(faultLines(stage)).toEqual([expect.stringMatching(/refused a block.*replaced by a note/)]);
  expect(stage.sim.requests.map(({ status }) => status)).toEqual([400, 200]);
  const reasons = eventsOf(stage, 'epoch-started').map(({ reason }) => reason);
  expect(reasons).toEqual(['session-start', 'history-rejected']);
  expect(await session.send('still there?')).toMatchObject({ reason: 'completed' });
  expect(stage.sim.requests.map(({ status }) => status)).toEqual([400, 200, 200]);
  // On disk the picture is still there.
  expect(await readFile(session.transcript, 'utf8')).toContain(broken.source.data);
});

it('LC-23: several bad images in one message are each replaced; the good one stays', async () => {
  const stage = await setStage([{ reply: 'one is good' }]);
  const session = await stage.open();
  const broken = (words: string) => image(Buffer.from(words.repeat(3)).toString('base64'));
  const end = await session.send([text('look'), broken('first bad one '), image(PNG), broken('second bad one ')]);
  expect(end).toMatchObject({ reason: 'completed', text: 'one is good' });
  expect(stage.sim.requests.map(({ status }) => status)).toEqual([400, 400, 200]);
  expect(lastSent(stage.sim)).toContain(PNG);
});

it('LC-23: a bad image inside a tool result leaves the pair whole', async () => {
  const stage = await setStage([
    STILL_THERE,
    { when: { nth: 1 }, reply: [{ tool: 'Picture' }] },
    { when: { nth: 2, result: { error: true, text: 'Left out' } }, reply: 'could not see it' },
  ]);
  const picture = {
    ...readingTool('Picture', async () => ''),
    run: async () => ({ isError: false, content: [image(Buffer.from('nothing to see here').toString('base64'))] }),
  };
  const session = await stage.open({ tools: [picture] });
  expect(await session.send('go')).toMatchObject({ reason: 'completed', text: 'could not see it' });
  expect(stage.sim.requests.map(({ status }) => status)).toEqual([200, 400, 200]);
  expect(await session.send('still there?')).toMatchObject({ reason: 'completed' });
});

it('LC-23: 413: the largest block is given up, and the session continues', async () => {
  const stage = await setStage([
    STILL_THERE,
    { when: { user: 'Left out, because the API refused it' }, reply: 'shorter now' },
    { fault: 'too_large' },
  ]);
  const session = await stage.open();
  const end = await session.send([text('summarise:'), text('word '.repeat(5_000))]);
  expect(end).toMatchObject({ reason: 'completed', text: 'shorter now' });
  expect(faultLines(stage)).toHaveLength(1);
  expect(lastSent(stage.sim)).toContain('summarise:');
  await expectSound(stage, session);
});

it('LC-23: 413 with nothing large to give up is reported', async () => {
  const stage = await setStage([STILL_THERE, { fault: 'too_large' }]);
  const session = await stage.open();
  expect((await session.send('hi')).reason).toBe('api_error');
  expect(faultLines(stage)).toHaveLength(1);
  await expectSound(stage, session);
});

it('LC-23: thinking the API no longer takes is dropped once, and the request continues', async () => {
  const message = 'Invalid `signature` in `thinking` block';
  const stage = await setStage([
    STILL_THERE,
    { when: { nth: 1 }, reply: [{ thinking: 'deep' }, 'first'] },
    {
      when: { nth: 2 },
      fault: { kind: 'bad_block', path: 'messages.1.content.0', message, times: 1 },
      reply: 'second',
    },
  ]);
  const session = await stage.open();
  await session.send('one');
  expect(await session.send('two')).toMatchObject({ reason: 'completed', text: 'second' });
  expect(faultLines(stage)).toEqual([expect.stringContaining('refused earlier thinking')]);
  const bodies = stage.sim.requests.map(({ raw }) => raw.toString('utf8'));
  expect(bodies[1]).toContain('"type":"thinking","thinking"');
  expect(bodies[2]).not.toContain('"type":"thinking","thinking"');
  await expectSound(stage, session);
});

it('LC-23: 401 and 404 end the run with what to look at', async () => {
  const stage = await setStage([
    { when: { user: 'second words' }, fault: 'no_model' },
    { when: { user: 'first words' }, fault: 'unauthorized' },
  ]);
  const session = await stage.open();
  expect(await session.send('first words')).toMatchObject({
    reason: 'api_error',
    line: expect.stringContaining('ANTHROPIC_API_KEY'),
  });
  expect(await session.send('second words')).toMatchObject({
    reason: 'api_error',
    line: expect.stringContaining('--model'),
  });
  stage.sim.use([STILL_THERE]);
  await expectSound(stage, session);
  expect(faultLines(stage)).toHaveLength(2);
});
