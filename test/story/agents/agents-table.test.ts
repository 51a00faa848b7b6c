/** What the fields of a call and of a definition come to: models, tools, servers, turns. */

import { expect, it } from 'vitest';
import type { SimRequest } from '../../../src/sim/index.js';
import { gate } from '../../support/gate.js';
import { expectAllAccepted, readingTool, setStage } from '../../support/story.js';
import { callResults } from '../background/background-stage.js';
import { agentCall, requestOf, requestsOf, script } from './agents-script.js';

const [ALPHA, BETA, GAMMA, DELTA] = ['ALPHA', 'BETA', 'GAMMA', 'DELTA'];
const glob = { tool: 'Glob', input: { pattern: '*' } };
const toolsOf = (request: SimRequest) => (request.body.tools ?? []).map(({ name }) => name);
const modelOf = (request: SimRequest) => request.body.model;

it('AG-4: an agent file that comes between opening and the first prompt is there at that prompt', async () => {
  const stage = await setStage(
    script({ main: [[agentCall(ALPHA, { subagent_type: 'late' })], 'ok'], [ALPHA]: ['Done.'] }),
  );
  const session = await stage.open({ trust: true });
  await stage.write('.claude/agents/late.md', '---\nname: late\ndescription: the late one\n---\nLATE\n');
  await session.send('Delegate.');
  expectAllAccepted(stage.sim);
  expect(callResults(stage, 'Agent')[0]).toMatch(/^Done\./);
  expect(String(stage.sim.requests[0]?.raw)).toContain('Now there:\\n- late: the late one');
});

it('AG-10: opusplan in a call or a definition is opus in plan mode and sonnet outside it, never an id', async () => {
  const calls = [
    agentCall(ALPHA, { model: 'opusplan' }),
    agentCall(BETA, { subagent_type: 'planner' }),
    agentCall(GAMMA),
    agentCall(DELTA, { subagent_type: 'thinker' }),
  ];
  const stage = await setStage(
    script({ main: [calls, 'ok', calls, 'ok'], [ALPHA]: ['a'], [BETA]: ['b'], [GAMMA]: ['c'], [DELTA]: ['d'] }),
  );
  const agents = {
    planner: { description: 'd', prompt: 'p', model: 'opusplan' },
    // It plans on its own, in any mode of its parent.
    thinker: { description: 'd', prompt: 'p', model: 'opusplan', permissionMode: 'plan' },
  };
  const session = await stage.open({ model: 'opusplan', permissionMode: 'plan', agents });
  await session.send('Plan.');
  const models = () =>
    [ALPHA, BETA, GAMMA, DELTA].map((word) => modelOf(requestsOf(stage.sim, word).at(-1) as SimRequest));
  expect(modelOf(stage.sim.requests[0] as SimRequest)).toBe('claude-opus-5-5');
  expect(models()).toEqual(Array(4).fill('claude-opus-5-5'));
  await session.setMode('default');
  await session.send('Do it.');
  expectAllAccepted(stage.sim);
  expect(modelOf(stage.sim.requests.at(-1) as SimRequest)).toBe('claude-sonnet-5-5');
  expect(models()).toEqual([...Array(3).fill('claude-sonnet-5-5'), 'claude-opus-5-5']);
});

it('AG-10: inherit is what its own parent uses now: a grandchild has the child’s model, not the main agent’s', async () => {
  const switched = gate();
  const stage = await setStage(
    script({
      main: [[{ tool: 'Wait', input: {} }], [agentCall(ALPHA, { model: 'haiku' }), agentCall(GAMMA)], 'ok'],
      [ALPHA]: [[agentCall(BETA), agentCall(DELTA, { model: 'inherit' })], 'a'],
      [BETA]: ['b'],
      [GAMMA]: ['c'],
      [DELTA]: ['d'],
    }),
  );
  const wait = readingTool('Wait', async () => {
    await switched.opened;
    return 'on';
  });
  const session = await stage.open({ model: 'opus', tools: [wait] });
  const sent = session.send('Delegate.');
  await session.setModel('sonnet');
  switched.open();
  await sent;
  expectAllAccepted(stage.sim);
  const models = [ALPHA, BETA, DELTA, GAMMA].map((word) => modelOf(requestOf(stage.sim, word)));
  expect(models).toEqual(['claude-haiku-5-5', 'claude-haiku-5-5', 'claude-haiku-5-5', 'claude-sonnet-5-5']);
});

it('AG-12: disallowedTools: "*" takes away all tools; what it takes of a list must leave some', async () => {
  const agents = {
    bare: { description: 'd', prompt: 'p', disallowedTools: '*' },
    most: { description: 'd', prompt: 'p', tools: '*', disallowedTools: 'Bash, Write' },
    contrary: { description: 'd', prompt: 'p', tools: ['Read', 'Grep'], disallowedTools: ['*'] },
  };
  const stage = await setStage(
    script({
      main: [
        [
          agentCall(ALPHA, { subagent_type: 'bare' }),
          agentCall(BETA, { subagent_type: 'most' }),
          agentCall(GAMMA, { subagent_type: 'contrary' }),
        ],
        'ok',
      ],
      [ALPHA]: ['a'],
      [BETA]: ['b'],
    }),
  );
  await (await stage.open({ agents })).send('Delegate.');
  expectAllAccepted(stage.sim);
  expect(toolsOf(requestOf(stage.sim, ALPHA))).toEqual([]);
  const most = toolsOf(requestOf(stage.sim, BETA));
  expect(most).toContain('Edit');
  expect(most).not.toContain('Bash');
  expect(most).not.toContain('Write');
  const refused = 'takes away with `disallowedTools` all that it lists in `tools`. Correct --agents.';
  expect(callResults(stage, 'Agent').filter((text) => text.includes(refused))).toHaveLength(1);
});

it.each([
  [{ max_turns: 10 }, 3],
  [{ max_turns: 2 }, 2],
  [{}, 3],
  [{ fork: true, max_turns: 10 }, 3],
])('LC-17: max_turns %j of a call in a session of 3 turns comes to %s', async (input, turns) => {
  const stage = await setStage(script({ main: [[agentCall(ALPHA, input)], 'ok'], [ALPHA]: [['again', glob]] }));
  const session = await stage.open({ maxTurns: 3, fork: 'on' });
  await session.send('Delegate.');
  expectAllAccepted(stage.sim);
  expect(requestsOf(stage.sim, ALPHA)).toHaveLength(turns);
  expect(callResults(stage, 'Agent')[0]).toContain(`max_turns): stopped after ${turns} turns`);
});

it('AG-1: a blank prompt starts nothing', async () => {
  const stage = await setStage([{ when: { nth: 1 }, reply: [agentCall(' \n')] }, { reply: 'ok' }]);
  const session = await stage.open();
  await session.send('Delegate.');
  expectAllAccepted(stage.sim);
  expect(callResults(stage, 'Agent')).toEqual([expect.stringContaining('The prompt is blank')]);
  expect(stage.sim.requests).toHaveLength(2);
});
