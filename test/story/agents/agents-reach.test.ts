/** A message gives its sender no more tools than it has (GT-34). */

import { describe, expect, it } from 'vitest';
import { gate } from '../../support/gate.js';
import { setStage } from '../../support/story.js';
import { agentCall, begin, type Line, requestOf, requestsOf, resultsIn, script } from './agents-script.js';

const ALPHA = 'TASK alpha';
const BETA = 'TASK beta';
const tell = (message: string) => [{ tool: 'SendMessage', input: { to: 'worker', message } }];
const lead = (tools: readonly string[], more: object = {}) => ({
  lead: { description: 'leads', prompt: 'Lead.', tools, ...more },
  limited: { description: 'reads', prompt: 'Read.', tools: ['Read'] },
});

/** The main agent starts `worker`, which ends, and then `lead`, which speaks the given lines. */
const stageOf = (type: string, lines: readonly Line[], main: readonly Line[] = []) =>
  setStage(
    script({
      main: [
        [agentCall(BETA, { subagent_type: type, name: 'worker' })],
        ...main,
        [agentCall(ALPHA, { subagent_type: 'lead' })],
        'ok',
      ],
      [ALPHA]: [...lines, 'led'],
      [BETA]: ['worked'],
    }),
  );

/** How often the worker was at work: once for its start. */
const runsOf = (stage: Awaited<ReturnType<typeof stageOf>>) => requestsOf(stage.sim, BETA).length;

const READER = ['Read', 'SendMessage', 'Agent'];

describe('GT-34: an agent that writes to one that has ended', () => {
  it('GT-34: does not wake one with tools it lacks when nobody can be asked', async () => {
    const stage = await stageOf('general-purpose', [tell('More.')]);
    const session = await stage.open({ agents: lead(READER), permissionMode: 'acceptEdits' });
    await session.send(begin());
    await session.settled();
    expect(runsOf(stage)).toBe(1);
    const [result] = resultsIn(requestOf(stage.sim, ALPHA, 2));
    expect(result).toMatchObject({ isError: true });
    expect(result?.text).toMatch(/was not given Bash, .*Write.* writes to \S+, of type general-purpose/);
  });

  it('GT-34: asks once for the pair, and wakes it by the answer', async () => {
    for (const behavior of ['allow', 'deny'] as const) {
      const stage = await stageOf('general-purpose', [tell('One.'), tell('Two.'), tell('Three.')]);
      const asked: string[] = [];
      const session = await stage.open({
        agents: lead(READER),
        onPermission: async ({ agent, reason, call }) => {
          asked.push(`${agent.type} ${call.tool}: ${reason}`);
          return { behavior };
        },
      });
      await session.send(begin());
      await session.settled();
      expect(asked[0]).toMatch(/^lead SendMessage: an agent that was not given Bash, /);
      expect(asked).toHaveLength(behavior === 'allow' ? 1 : 3);
      expect(runsOf(stage) > 1).toBe(behavior === 'allow');
    }
  });

  it.each([
    ['a rule allows that type', READER, { allowedTools: ['Agent(general-purpose)'] }],
    ['it has everything itself', ['*'], {}],
    ['it can do nothing but hand on', ['SendMessage', 'Agent'], {}],
  ])('GT-34: wakes it unasked where %s', async (_why, tools, options) => {
    const stage = await stageOf('general-purpose', [tell('More.')]);
    const session = await stage.open({ agents: lead(tools), ...options });
    await session.send(begin());
    await session.settled();
    expect(runsOf(stage)).toBeGreaterThan(1);
  });

  it('GT-34: wakes none of a type that it may not start', async () => {
    for (const [tools, woken] of [
      [['SendMessage', 'Agent(limited)'], false],
      [['SendMessage', 'Agent(limited, general-purpose)'], true],
    ] as const) {
      const stage = await stageOf('general-purpose', [tell('More.')]);
      const session = await stage.open({ agents: lead(tools), permissionMode: 'bypassPermissions' });
      await session.send(begin());
      await session.settled();
      expect(runsOf(stage) > 1).toBe(woken);
      const [result] = resultsIn(requestOf(stage.sim, ALPHA, 2));
      expect(result?.text).toMatch(woken ? /goes on in the background/ : /may only start: limited/);
    }
  });

  it('GT-34: an ask rule about its type is asked before it wakes, as before a start', async () => {
    const stage = await stageOf('general-purpose', [], [tell('More.')]);
    const asked: string[] = [];
    const session = await stage.open({
      agents: lead(READER),
      settings: JSON.stringify({ permissions: { ask: ['Agent(general-purpose)'] } }),
      onPermission: async ({ call }) => {
        asked.push(call.tool);
        return { behavior: call.tool === 'SendMessage' ? 'deny' : 'allow' };
      },
    });
    await session.send(begin());
    await session.settled();
    expect(asked).toEqual(['Agent', 'SendMessage']);
    expect(runsOf(stage)).toBe(1);
  });
});

describe('GT-34: an agent that writes to one at work', () => {
  it('GT-34: is asked about one with tools it lacks, not about those above it', async () => {
    const toParent = [{ tool: 'SendMessage', input: { to: 'parent', message: 'Here.' } }];
    const held = gate();
    const stage = await setStage(
      script({
        main: [
          [agentCall(BETA, { subagent_type: 'general-purpose', name: 'worker', run_in_background: true })],
          [agentCall(ALPHA, { subagent_type: 'lead' })],
          'ok',
        ],
        [ALPHA]: [toParent, tell('More.'), 'led'],
        [BETA]: [
          async () => {
            await held.opened;
            return 'worked';
          },
        ],
      }),
    );
    const session = await stage.open({ agents: lead(READER) });
    await session.send(begin());
    held.open();
    await session.settled();
    expect(resultsIn(requestOf(stage.sim, ALPHA, 2))).toMatchObject([{ isError: false }]);
    expect(resultsIn(requestOf(stage.sim, ALPHA, 3))).toMatchObject([{ isError: true }]);
    expect(requestsOf(stage.sim, 'More.')).toEqual([]);
  });
});
