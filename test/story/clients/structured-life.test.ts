/** CL-2: what structured output does where other things happen: forks, children, hooks, limits, interrupts, resumes. */

import { expect, it } from 'vitest';
import { execute } from '../../../src/engine/commands/execute.js';
import { openEngine } from '../../../src/engine/open/open-engine.js';
import type { Rule } from '../../../src/sim/index.js';
import { eventsOf, expectAllAccepted, readingTool, type Stage, setStage } from '../../support/story.js';

const SCHEMA = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

const give = (input: unknown): Rule['reply'] => [{ tool: 'StructuredOutput', input }];
const declared = (stage: Stage, request: number) =>
  (stage.sim.requests[request]?.body.tools ?? []).find(({ name }) => name === 'StructuredOutput');
const heard = (stage: Stage, request: number) => JSON.stringify(stage.sim.requests[request]?.body.messages.at(-1));

it('CL-2 FK-1: a fork has the tool, byte for byte, and must answer in text', async () => {
  const stage = await setStage([
    { when: { user: '<fork-boilerplate>' }, reply: give({ n: 9 }) },
    { when: { said: '<fork-boilerplate>' }, reply: 'Nine.' },
    { when: { nth: 1 }, reply: [{ tool: 'Agent', input: { fork: true, prompt: 'Think.', description: 'd' } }] },
    { reply: give({ n: 1 }) },
  ]);
  const session = await stage.open({ outputSchema: SCHEMA, fork: 'on' });
  expect(await session.send('Go.')).toMatchObject({ reason: 'completed', structured: { n: 1 } });
  expect(stage.sim.requests.map((_, index) => declared(stage, index))).toEqual(Array(4).fill(declared(stage, 0)));
  expect(heard(stage, 2)).toContain('Answer in text');
  expect(heard(stage, 3)).toContain('Nine.');
  expectAllAccepted(stage.sim);
});

it('CL-2: a fork that continues in a resumed session gets the same instruction', async () => {
  const stage = await setStage([
    { when: { user: 'Go on.' }, reply: give({ n: 9 }) },
    { when: { said: '<fork-boilerplate>' }, reply: 'Text.' },
    { reply: give({ n: 1 }) },
  ]);
  const first = await stage.open({ outputSchema: SCHEMA });
  await first.send('Go.');
  const { agentId: agent } = await first.fork('Think.');
  await first.close();
  const again = await stage.open({ outputSchema: SCHEMA, resume: first.id });
  expect(await again.resumeAgent(agent, 'Go on.')).toBeUndefined();
  await again.settled();
  const told = stage.sim.requests.findIndex((_, index) => heard(stage, index).includes('is_error'));
  expect(heard(stage, told)).toContain('Answer in text');
  expectAllAccepted(stage.sim);
});

it('CL-2 LC-24: a compaction leaves the tool and the need for a value as they are', async () => {
  const context = 16_000;
  const stage = await setStage(
    [
      { when: { user: '<compaction>' }, reply: '## Asked for\nnumbers' },
      { when: { user: 'You have not called' }, reply: give({ n: 1 }) },
      { reply: `Text ${'word '.repeat(1_500)}` },
    ],
    { models: { 'claude-opus-5-5': { contextTokens: context } } },
  );
  await stage.settings({ models: { 'claude-opus-5-5': { context, maxOutput: 1_000 } } });
  const session = await stage.open({ outputSchema: SCHEMA });
  for (let n = 1; n <= 8; n += 1) {
    expect(await session.send(`Prompt ${n}.`)).toMatchObject({ reason: 'completed', structured: { n: 1 } });
  }
  expect(eventsOf(stage, 'history-compacted').length).toBeGreaterThan(0);
  expectAllAccepted(stage.sim);
});

it('CL-2: other children are not offered it, and end with text', async () => {
  const stage = await setStage([
    { when: { said: 'Look around.' }, reply: 'Seen.' },
    { when: { nth: 1 }, reply: [{ tool: 'Agent', input: { prompt: 'Look around.', description: 'd' } }] },
    { reply: give({ n: 1 }) },
  ]);
  const session = await stage.open({ outputSchema: SCHEMA });
  expect(await session.send('Go.')).toMatchObject({ reason: 'completed', structured: { n: 1 } });
  expect(stage.sim.requests.map((_, index) => declared(stage, index) !== undefined)).toEqual([true, false, true]);
  expectAllAccepted(stage.sim);
});

it('CL-2: a session that runs as an agent of few tools, and a coordinator, have it, too', async () => {
  const stage = await setStage([{ reply: give({ n: 1 }) }]);
  const agents = { scout: { description: 'd', prompt: 'You scout.', tools: ['Read'] } };
  const scout = await stage.open({ outputSchema: SCHEMA, agents, agent: 'scout' });
  expect(await scout.send('Go.')).toMatchObject({ structured: { n: 1 } });
  const names = (stage.sim.requests[0]?.body.tools ?? []).map(({ name }) => name);
  expect(names).toEqual(['Read', 'StructuredOutput']);
  const coordinator = await stage.open({ outputSchema: SCHEMA, coordinator: true });
  expect(await coordinator.send('Go.')).toMatchObject({ structured: { n: 1 } });
});

it('CL-2: a resumed session has the schema of its new start, as a new epoch only if it is another', async () => {
  const stage = await setStage([{ when: { user: 'Word.' }, reply: give({ w: 'a' }) }, { reply: give({ n: 1 }) }]);
  const first = await stage.open({ outputSchema: SCHEMA });
  await first.send('One.');
  await first.close();
  const same = await stage.open({ outputSchema: SCHEMA, resume: first.id });
  expect(await same.send('Two.')).toMatchObject({ structured: { n: 1 } });
  await same.close();
  expect(eventsOf(stage, 'epoch-started')).toHaveLength(1);
  const schema = { type: 'object', properties: { w: { type: 'string' } }, required: ['w'] };
  const other = await stage.open({ outputSchema: schema, resume: first.id });
  expect(await other.send('Word.')).toMatchObject({ reason: 'completed', structured: { w: 'a' } });
  await other.close();
  expect(eventsOf(stage, 'epoch-started').map(({ reason }) => reason)).toEqual(['session-start', 'tools-changed']);
  expect(declared(stage, 2)).toMatchObject({ input_schema: schema });
  stage.sim.use([{ reply: 'Words.' }]);
  const plain = await stage.open({ resume: first.id });
  expect(await plain.send('Talk.')).toMatchObject({ reason: 'completed', text: 'Words.' });
  expect(declared(stage, 3)).toBeUndefined();
  expectAllAccepted(stage.sim);
});

it('CL-2: a prompt that is given again after its end is not answered twice, in another process either', async () => {
  const stage = await setStage([{ reply: give({ n: 1 }) }]);
  const prompt = { type: 'prompt', content: 'Go.', key: 'k' } as const;
  const at = { cwd: stage.folder, env: stage.env, outputSchema: SCHEMA };
  const open = async (more: object = {}) => {
    const opened = await openEngine({ ...at, ...more });
    if (!opened.ok) throw new Error(opened.reason);
    return opened.engine;
  };
  const first = await open();
  expect(await execute(first, prompt)).toMatchObject({ structured: { n: 1 } });
  expect(await execute(first, prompt)).toMatchObject({ structured: { n: 1 } });
  await first.close();
  const again = await open({ resume: first.runtime.session });
  expect(await execute(again, prompt)).toMatchObject({ reason: 'completed', structured: { n: 1 }, text: '{"n":1}' });
  await again.close();
  expect(stage.sim.requests).toHaveLength(1);
});

it('CL-2: hooks see its call as any other: they change its value, and what they object to is not taken', async () => {
  const stage = await setStage([{ reply: give({ n: 1 }) }]);
  const seen: unknown[] = [];
  const changed = await stage.open({
    outputSchema: SCHEMA,
    hooks: {
      PreToolUse: [
        {
          matcher: 'StructuredOutput',
          hooks: [
            (input: { tool_input?: unknown }) => {
              seen.push(input.tool_input);
              return { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { n: 2 } } };
            },
          ],
        },
      ],
    },
  });
  expect(await changed.send('Go.')).toMatchObject({ reason: 'completed', structured: { n: 2 } });
  expect(seen).toEqual([{ n: 1 }]);
  const objecting = await stage.open({
    outputSchema: SCHEMA,
    hooks: { PostToolUse: [{ hooks: [() => ({ decision: 'block', reason: 'One is not enough.' })] }] },
  });
  expect(await objecting.send('Go.')).toMatchObject({
    reason: 'no_structured_output',
    line: expect.stringContaining('One is not enough.'),
  });
});

it('CL-2: a deny rule holds: its calls are refused, and the run fails', async () => {
  const stage = await setStage([{ reply: give({ n: 1 }) }]);
  const session = await stage.open({ outputSchema: SCHEMA, disallowedTools: ['StructuredOutput'] });
  expect(await session.send('Go.')).toMatchObject({
    reason: 'no_structured_output',
    line: expect.stringContaining('Permission denied'),
  });
});

it.each(['plan', 'dontAsk', 'default'] as const)('CL-2: it asks nobody in the mode %s', async (permissionMode) => {
  const stage = await setStage([{ reply: give({ n: 1 }) }]);
  const session = await stage.open({ outputSchema: SCHEMA, permissionMode });
  expect(await session.send('Go.')).toMatchObject({ reason: 'completed', structured: { n: 1 } });
});

it('CL-2: Stop hooks are asked when the value is there, and may keep the agent going; a bounded number of times', async () => {
  const stage = await setStage([{ when: { user: 'More.' }, reply: give({ n: 2 }) }, { reply: give({ n: 1 }) }]);
  const said: unknown[] = [];
  let objections = 1;
  const hooks = {
    Stop: [
      {
        hooks: [
          (input: { last_assistant_message?: unknown }) => {
            said.push(input.last_assistant_message);
            objections -= 1;
            return objections >= 0 ? { decision: 'block' as const, reason: 'More.' } : {};
          },
        ],
      },
    ],
  };
  const session = await stage.open({ outputSchema: SCHEMA, hooks });
  expect(await session.send('Go.')).toMatchObject({ reason: 'completed', structured: { n: 2 } });
  expect(said).toEqual(['{"n":1}', '{"n":2}']);
  objections = 1000;
  expect(await session.send('Again.')).toMatchObject({ reason: 'completed', structured: { n: 2 } });
  expect(stage.sim.requests.length).toBeLessThan(15);
  expectAllAccepted(stage.sim);
});

it('CL-2: the limit of turns comes first, and an interrupt ends it without a value; the next prompt has its own tries', async () => {
  const stage = await setStage([
    { when: { said: 'Slow.', not: { said: 'Now.' } }, reply: [{ tool: 'Wait' }] },
    { when: { said: 'Now.' }, reply: give({ n: 1 }) },
    { reply: 'Text.' },
  ]);
  const limited = await stage.open({ outputSchema: SCHEMA, maxTurns: 2 });
  expect(await limited.send('Go.')).toMatchObject({ reason: 'max_turns' });
  let begun = () => {};
  const running = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const wait = readingTool('Wait', async (_, signal) => {
    begun();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return 'over';
  });
  const session = await stage.open({ outputSchema: SCHEMA, tools: [wait] });
  const slow = session.send('Slow.');
  await running;
  session.interrupt();
  const end = await slow;
  expect(end.reason).toBe('interrupted');
  expect(end).not.toHaveProperty('structured');
  expect(await session.send('Now.')).toMatchObject({ reason: 'completed', structured: { n: 1 } });
  expectAllAccepted(stage.sim);
});

it('CL-2: a call that came broken is treated as a try, and one value of several in a reply is enough', async () => {
  const stage = await setStage([
    { when: { nth: 1 }, reply: [{ tool: 'StructuredOutput', json: '{"n": 1' }] },
    {
      reply: [
        { tool: 'StructuredOutput', input: { n: 'x' } },
        { tool: 'StructuredOutput', input: { n: 3 } },
      ],
    },
  ]);
  const session = await stage.open({ outputSchema: SCHEMA });
  expect(await session.send('Go.')).toMatchObject({ reason: 'completed', structured: { n: 3 } });
  expectAllAccepted(stage.sim);
});

it('CL-2: a tool of the embedder may not have its name', async () => {
  const stage = await setStage();
  const tools = [readingTool('StructuredOutput', async () => 'x')];
  await expect(stage.open({ outputSchema: SCHEMA, tools })).rejects.toThrow(/rename it/);
});
