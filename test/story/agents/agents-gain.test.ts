/** An agent gets no more tools by starting another (decision 0017). */

import { describe, expect, it } from 'vitest';
import { setStage } from '../../support/story.js';
import { agentCall, begin, requestOf, requestsOf, resultsIn, script } from './agents-script.js';

const ALPHA = 'TASK alpha';
const BETA = 'TASK beta';
const bash = { tool: 'Bash', input: { command: 'touch made' } };
const lead = (tools: readonly string[], more: object = {}) => ({
  lead: { description: 'leads', prompt: 'Lead.', tools, ...more },
});

/** The main agent starts `lead`, which starts an agent of the given type. */
const stageOf = (type: string) =>
  setStage(
    script({
      main: [[agentCall(ALPHA, { subagent_type: 'lead' })], 'ok'],
      [ALPHA]: [[agentCall(BETA, { subagent_type: type })], 'led'],
      [BETA]: [[bash], 'done'],
    }),
  );

const isStarted = (stage: Awaited<ReturnType<typeof stageOf>>) => requestsOf(stage.sim, BETA).length > 0;

describe('GT-9: an agent whose definition keeps tools from it', () => {
  it('AG-12 GT-9: can’t start one that has them when nobody can be asked, and is informed how it could', async () => {
    const stage = await stageOf('general-purpose');
    await (await stage.open({ agents: lead(['Read', 'Agent']), permissionMode: 'acceptEdits' })).send(begin());
    expect(isStarted(stage)).toBe(false);
    const [result] = resultsIn(requestOf(stage.sim, ALPHA, 2));
    expect(result).toMatchObject({ isError: true });
    expect(result?.text).toMatch(/was not given Bash, .*Write.* starts general-purpose/);
  });

  it('AG-12 GT-9: asks the user otherwise, with its own name, and goes by the answer', async () => {
    for (const behavior of ['allow', 'deny'] as const) {
      const stage = await stageOf('general-purpose');
      const asked: string[] = [];
      const session = await stage.open({
        agents: lead(['Read', 'Agent']),
        onPermission: async ({ agent, reason, call }) => {
          asked.push(`${agent.type} ${call.tool}: ${reason}`);
          return call.tool === 'Agent' ? { behavior } : { behavior: 'deny' };
        },
      });
      await session.send(begin());
      expect(asked[0]).toMatch(/^lead Agent: an agent that was not given Bash, /);
      expect(isStarted(stage)).toBe(behavior === 'allow');
    }
  });

  it.each([
    ['a rule allows that type', ['Read', 'Agent'], { allowedTools: ['Agent(general-purpose)'] }],
    ['its definition names that type', ['Read', 'Agent(general-purpose)'], {}],
    ['it can do nothing but hand on', ['Agent'], {}],
    ['it has everything itself', undefined, {}],
  ])('AG-12 GT-9: starts it unasked where %s', async (_why, tools, options) => {
    const stage = await stageOf('general-purpose');
    const agents = tools === undefined ? { lead: { description: 'leads', prompt: 'Lead.' } } : lead(tools);
    await (await stage.open({ agents, ...options })).send(begin());
    expect(isStarted(stage)).toBe(true);
  });

  it('AG-12 GT-9: starts read-only agents and those with no more than it has, without a question', async () => {
    for (const [type, tools] of [
      ['Explore', ['Read', 'Agent']],
      ['guide', ['Glob', 'Agent']],
      ['verification', ['Read', 'Bash', 'Agent']],
    ] as const) {
      const stage = await stageOf(type);
      await (await stage.open({ agents: lead(tools) })).send(begin());
      expect(isStarted(stage), type).toBe(true);
    }
  });

  it.each([
    ['only some commands', ['Read', 'Agent', 'Bash(git diff:*)'], {}],
    ['all but some commands', ['Read', 'Agent', 'Bash'], { disallowedTools: ['Bash(rm:*)'] }],
  ])('AG-12 GT-9: one with %s does not get the rest by another', async (_what, tools, more) => {
    const stage = await stageOf('verification');
    await (await stage.open({ agents: lead(tools, more) })).send(begin());
    expect(isStarted(stage)).toBe(false);
  });

  it('AG-12 GT-9: the main agent that runs as such a definition goes by the same', async () => {
    const stage = await setStage(script({ main: [[agentCall(BETA)], 'ok'], [BETA]: [[bash], 'done'] }));
    await (await stage.open({ agents: lead(['Read', 'Agent']), agent: 'lead' })).send(begin());
    expect(isStarted(stage)).toBe(false);
  });
});
