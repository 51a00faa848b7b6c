import { describe, expect, it } from 'vitest';
import { gate, onceOpen } from '../../support/gate.js';
import { fastHost } from '../../support/hosts/fast-host.js';
import { agentTranscript } from '../../support/session-files.js';
import { readTranscript, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { callResults, childCall, childIds, expectSettled, idOf, noticesIn, statesOf } from './background-stage.js';

describe('limits', () => {
  it('LC-16: more than the limit wait in order, visible as queued', async () => {
    const gates = Array.from({ length: 5 }, gate);
    const stage = await setStage([
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      ...gates.map((one, index) => ({
        when: { said: `JOB ${index}.` },
        reply: onceOpen(one, `Done ${index}.`),
      })),
      {
        when: { nth: 1 },
        reply: gates.map((_, index) =>
          childCall({ prompt: `JOB ${index}.`, name: `job-${index}`, run_in_background: true }),
        ),
      },
      { reply: 'On.' },
    ]);
    await stage.settings({ maxConcurrentAgents: 2 });
    const session = await stage.open();
    await session.send('Delegate.');
    const agentsWith = (kind: 'agent-queued' | 'agent-state-changed') =>
      stage.events.flatMap(({ agent, event }) =>
        event.kind === kind && (event.kind === 'agent-queued' || event.state === 'running') ? [agent] : [],
      );
    await until(() => agentsWith('agent-state-changed').length === 2, 'two at work');
    await until(() => agentsWith('agent-queued').length === 3, 'three wait');
    const states = session.tasks().map((task) => task.status);
    expect([...states].sort()).toEqual(['queued', 'queued', 'queued', 'running', 'running']);
    expect(session.snapshot().filter((agent) => agent.status === 'queued')).toHaveLength(3);
    // In the order of the calls, whoever was ready first.
    const inOrder = gates.map((_, index) => idOf(stage, `job-${index}`));
    const queued = inOrder.filter((id) => agentsWith('agent-queued').includes(id));
    // One by one, so that each end lets one begin.
    for (let ended = 0; ended < gates.length; ended += 1) {
      const title = session.tasks().find((task) => task.status === 'running')?.title ?? '';
      gates[Number(/job-(\d)/.exec(title)?.[1])]?.open();
      const begun = Math.min(gates.length, ended + 3);
      const isOver = () => session.tasks().filter((task) => task.status === 'completed').length > ended;
      await until(() => isOver() && agentsWith('agent-state-changed').length === begun, `${begun} have begun`);
    }
    await expectSettled(session, stage);
    expect(agentsWith('agent-state-changed').slice(2)).toEqual(queued);
    expect(noticesIn(stage.events)).toHaveLength(5);
  });

  it('LC-16: a queue of more than 200 is a tool error that reports it', async () => {
    const held = gate();
    const stage = await setStage([
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      { when: { said: 'CHILD' }, reply: onceOpen(held, 'Done.') },
      { when: { nth: 1 }, reply: Array.from({ length: 205 }, () => childCall({ run_in_background: true })) },
      { reply: 'On.' },
    ]);
    await stage.settings({ maxConcurrentAgents: 2 });
    const session = await stage.open();
    await session.send('Delegate.');
    const said = callResults(stage, 'Agent');
    const refused = said.filter((text) => text.includes('agents wait already'));
    expect(refused).toHaveLength(3);
    expect(said.filter((text) => text.includes('Started in the background'))).toHaveLength(202);
    await session.close();
  });

  it('LC-17: the tree’s budget stops running children in order, keeps what they had, and refuses new ones', async () => {
    let order: string[] = [];
    const held = gate();
    const stage = await setStage([
      { when: { said: 'CHILD', nth: 1 }, reply: ['Half of it.', { tool: 'Glob', input: { pattern: '*' } }] },
      { when: { said: 'CHILD' }, reply: onceOpen(held, 'Never said.') },
      {
        when: { nth: 1 },
        reply: [
          childCall({ name: 'one', run_in_background: true }),
          childCall({ name: 'two', run_in_background: true }),
        ],
      },
      {
        when: { nth: 2 },
        reply: async () => {
          await until(() => stage.sim.requests.length === 6, 'both children at work');
          order = session.tasks().map((task) => task.id);
          return [{ tool: 'Glob', input: { pattern: '*' } }];
        },
        usage: { output: 5_000_000 },
      },
      { reply: 'Never asked.' },
    ]);
    const session = await stage.open({ maxTokens: 2_000_000 });
    const end = await session.send('Delegate.');
    expect(end, stage.sim.report()).toMatchObject({ reason: 'max_tokens' });
    await session.settled();
    const [one, two] = order;
    const stops = stage.events.flatMap(({ agent, event }) =>
      event.kind === 'agent-state-changed' && event.state === 'stopped' ? [[agent, event.by]] : [],
    );
    expect(stops).toEqual([
      [two, 'budget'],
      [one, 'budget'],
    ]);
    expect(await session.tasks()[0]?.done).toMatchObject({
      status: 'failed',
      reason: 'stopped',
      content: 'Half of it.',
    });
    expect(noticesIn(stage.events).every(({ text }) => text.includes('<status>stopped</status>'))).toBe(true);
    held.open();
  });

  it('LC-17: a child’s own max_usd or max_turns ends only that child', async () => {
    const stage = await setStage([
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      { when: { said: 'ENDLESS' }, reply: ['So far.', { tool: 'Glob', input: { pattern: '*' } }] },
      { when: { said: 'OTHER', nth: 1 }, reply: [{ tool: 'Glob', input: { pattern: '*' } }] },
      { when: { said: 'OTHER' }, reply: 'Other done.' },
      {
        when: { nth: 1 },
        reply: [
          childCall({ prompt: 'ENDLESS', max_turns: 3, run_in_background: true }),
          childCall({ prompt: 'ENDLESS', max_usd: 0.2, run_in_background: true }),
          childCall({ prompt: 'OTHER', run_in_background: true }),
        ],
      },
      { reply: 'On.' },
    ]);
    const session = await stage.open({ maxUsd: 1_000 });
    await session.send('Delegate.');
    await expectSettled(session, stage);
    const states = await Promise.all(childIds(stage).map((id) => statesOf(session, id)));
    expect(states.map((list) => list.at(-1)).sort()).toEqual(['completed', 'failed', 'failed']);
    const texts = noticesIn(stage.events).map(({ text }) => text);
    expect(texts.filter((text) => text.includes('stopped after 3 turns'))).toHaveLength(1);
    expect(texts.filter((text) => text.includes('max_usd of this agent'))).toHaveLength(1);
  });

  it('LC-18: a child that hears nothing from the model is failed with what it had; a slow tool is not', async () => {
    const stage = await setStage([
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      { when: { said: 'SILENT', nth: 1 }, reply: ['Half of it.', { tool: 'Glob', input: { pattern: '*' } }] },
      { when: { said: 'SILENT' }, fault: 'silence' },
      { when: { said: 'SLOW', nth: 1 }, reply: [{ tool: 'Bash', input: { command: 'sleep 0.7' } }] },
      { when: { said: 'SLOW' }, reply: 'Slow tool, good end.' },
      {
        when: { nth: 1 },
        reply: [
          childCall({ prompt: 'SILENT', name: 'silent', run_in_background: true }),
          childCall({ prompt: 'SLOW', name: 'slow', run_in_background: true }),
        ],
      },
      { reply: 'On.' },
    ]);
    await stage.settings({ stallMs: 300 });
    const session = await stage.open({ permissionMode: 'bypassPermissions' });
    await session.send('Delegate.');
    await expectSettled(session, stage);
    const [silent, slow] = [idOf(stage, 'silent'), idOf(stage, 'slow')];
    expect(await statesOf(session, silent)).toEqual(['running', 'failed']);
    expect(await statesOf(session, slow)).toEqual(['running', 'completed']);
    const text = noticesIn(stage.events).find(({ agent }) => agent === silent)?.text;
    expect(text).toContain('<status>failed</status>');
    expect(text).toContain('nothing came from the model for 0.3 seconds\nHalf of it.');
  });

  it('LC-18: ten minutes unless set', async () => {
    const stage = await setStage([
      { when: { said: 'SILENT' }, fault: 'silence' },
      { when: { nth: 1 }, reply: [childCall({ prompt: 'SILENT' })] },
      { reply: 'End.' },
    ]);
    // A hundred seconds a tenth of one: the model client's own watchdog tries again meanwhile.
    const session = await stage.open({ host: fastHost(stage.folder, stage.env, 1_000) });
    await session.send('Delegate.');
    expect(callResults(stage, 'Agent')[0]).toContain(
      'The agent failed (stalled): nothing came from the model for 10 minutes',
    );
  });

  it('LC-20, LC-21: every agent can be seen at any time: state, tool, turns, tokens, a line of progress', async () => {
    const held = gate();
    const stage = await setStage([
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      { when: { said: 'CHILD', nth: 1 }, reply: [{ tool: 'Glob', input: { pattern: '*.ts' } }] },
      { when: { said: 'CHILD', nth: 2 }, reply: [{ tool: 'Bash', input: { command: 'touch asked.txt' } }] },
      { when: { said: 'CHILD' }, reply: 'Done.' },
      { when: { nth: 1 }, reply: [childCall({ name: 'worker', run_in_background: true })] },
      { reply: 'On.' },
    ]);
    const session = await stage.open({
      onPermission: async () => {
        await held.opened;
        return { behavior: 'allow' };
      },
    });
    await session.send('Delegate.');
    await until(() => session.snapshot().some((agent) => agent.question !== undefined), 'the question waits');
    const [id = ''] = childIds(stage);
    const requests = stage.sim.requests.length;
    expect(session.snapshot().find((agent) => agent.id === id)).toMatchObject({
      name: 'worker',
      status: 'running',
      tool: 'Bash',
      turns: 2,
      toolUses: 2,
      depth: 1,
      parent: 'main',
      question: { tool: 'Bash' },
      tokensIn: expect.any(Number),
      tokensOut: expect.any(Number),
      cacheShare: expect.any(Number),
      costUsd: expect.any(Number),
      elapsedMs: expect.any(Number),
      folder: stage.folder,
    });
    expect(session.tasks()).toMatchObject([{ id, progress: 'asks the person about Bash' }]);
    // A look costs no request.
    expect(stage.sim.requests).toHaveLength(requests);
    held.open();
    await expectSettled(session, stage);
    const after = session.snapshot().find((agent) => agent.id === id);
    expect(after).toMatchObject({ status: 'completed', tool: undefined, question: undefined, turns: 3, toolUses: 2 });
    const records = await readTranscript(agentTranscript(session, id));
    expect(records.at(-1)?.event.kind).toBe('notice-queued');
  });
});
