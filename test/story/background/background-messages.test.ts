import { describe, expect, it } from 'vitest';
import { gate, onceOpen } from '../../support/gate.js';
import { agentTranscript } from '../../support/session-files.js';
import { eventsOf, expectAllAccepted, readTranscript, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { comparable } from '../../support/wire-body.js';
import {
  callResults,
  childCall,
  childIds,
  expectSettled,
  noticesIn,
  requestsWith,
  statesOf,
} from './background-stage.js';

describe('talking to agents', () => {
  it('LC-12: a message to a running agent arrives at its next safe point', async () => {
    const held = gate();
    const stage = await setStage([
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      { when: { user: 'Look at b too.' }, reply: 'Looked at a and b.' },
      {
        when: { said: 'CHILD' },
        reply: async () => {
          await held.opened;
          return 'Looked at a.';
        },
      },
      { when: { nth: 1 }, reply: [childCall({ run_in_background: true, name: 'worker' })] },
      { when: { nth: 2 }, reply: [{ tool: 'SendMessage', input: { to: 'worker', message: 'Look at b too.' } }] },
      { when: { result: 'will read it between its turns' }, reply: 'Told it.' },
    ]);
    const session = await stage.open();
    expect(await session.send('Delegate.'), stage.sim.report()).toMatchObject({ text: 'Told it.' });
    held.open();
    await expectSettled(session, stage);
    expect(noticesIn(stage.events).map(({ text }) => text)).toEqual([
      expect.stringContaining('<result>Looked at a and b.</result>'),
    ]);
    const child = requestsWith(stage.sim, 'Look at b too.').find((raw) => !raw.includes('Delegate.')) ?? '';
    expect(child.includes('<agent-message from=\\"main\\">\\nLook at b too.\\n</agent-message>')).toBe(true);
    expect(child.includes('not from the person')).toBe(true);
    expectAllAccepted(stage.sim);
  });

  it('LC-12: a message to a finished one resumes it in the background: same id, its history, a second notice', async () => {
    const stage = await setStage([
      { when: { user: 'Heard' }, reply: 'never' },
      { when: { said: 'CHILD', user: 'And then?' }, reply: 'Then the second.' },
      { when: { said: 'CHILD', nth: 1 }, reply: [{ thinking: 'look' }, { tool: 'Glob', input: { pattern: '*' } }] },
      { when: { said: 'CHILD' }, reply: 'The first.' },
      { when: { nth: 1 }, reply: [childCall({ name: 'worker', run_in_background: true })] },
      { when: { user: 'The first.' }, reply: [{ tool: 'SendMessage', input: { to: 'worker', message: 'And then?' } }] },
      { when: { result: 'goes on in the background' }, reply: 'Asked.' },
      { when: { user: 'Then the second.' }, reply: 'All heard.' },
      { reply: 'On.' },
    ]);
    const session = await stage.open();
    await session.send('Delegate.');
    const settled = await session.settled();
    expect(settled.end, stage.sim.report()).toMatchObject({ text: 'All heard.' });
    expectAllAccepted(stage.sim);
    const [id = ''] = childIds(stage);
    expect(noticesIn(stage.events).map(({ agent, run }) => [agent, run])).toEqual([
      [id, 1],
      [id, 2],
    ]);
    expect(await statesOf(session, id)).toEqual(['running', 'completed', 'running', 'completed']);
    // DU-18: the request after the rest repeats the bytes of the last one before it.
    const own = stage.sim.requests.filter((request) => !request.raw.includes('Delegate.'));
    expect(own).toHaveLength(3);
    const [, before, after] = own.map(comparable);
    expect(after?.startsWith(before ?? 'missing')).toBe(true);
    const seqs = (await readTranscript(agentTranscript(session, id))).map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    expect(session.tasks()).toMatchObject([{ id, status: 'completed' }]);
  });

  it('LC-12: a fork that is written to after its end continues with what it inherited, once (DU-19)', async () => {
    const stage = await setStage([
      { when: { user: 'And then?' }, reply: 'Fork again.' },
      { when: { user: '<fork-boilerplate>' }, reply: 'Fork done.' },
      { when: { nth: 1 }, reply: [{ tool: 'Glob', input: { pattern: '*' } }] },
      { when: { nth: 2 }, reply: [{ tool: 'Agent', input: { fork: true, prompt: 'Go on.', name: 'twin' } }] },
      {
        when: { result: 'Fork done.' },
        reply: [{ tool: 'SendMessage', input: { to: 'twin', message: 'And then?' } }],
      },
      { when: { user: '<task-notification>' }, reply: 'All heard.' },
      { reply: 'Asked.' },
    ]);
    const session = await stage.open({ fork: 'on' });
    await session.send('Delegate.');
    const settled = await session.settled();
    expect(settled.end, stage.sim.report()).toMatchObject({ text: 'All heard.' });
    expectAllAccepted(stage.sim);
    const own = stage.sim.requests.filter((request) => request.raw.includes('<fork-boilerplate>')).map(comparable);
    expect(own).toHaveLength(2);
    expect(own[1]?.startsWith(own[0] ?? 'missing')).toBe(true);
    expect(noticesIn(stage.events)).toMatchObject([{ run: 2 }]);
  });

  it('LC-12: several that write to one that rests at the same moment wake it once, and all are read', async () => {
    const together = gate();
    const senders = [0, 1, 2, 3];
    const stage = await setStage([
      { when: { said: 'RESTER', user: '<agent-message' }, reply: 'Woken and read.' },
      { when: { said: 'RESTER' }, reply: 'First done.' },
      ...senders.map((number) => ({
        when: { said: `SENDER ${number}`, nth: 1 },
        reply: onceOpen(together, [{ tool: 'SendMessage', input: { to: 'rester', message: `words of ${number}.` } }]),
      })),
      { when: { said: 'SENDER' }, reply: 'Sent.' },
      { when: { nth: 1 }, reply: [childCall({ prompt: 'RESTER', name: 'rester' })] },
      {
        when: { nth: 2 },
        reply: senders.map((number) => childCall({ prompt: `SENDER ${number}`, run_in_background: true })),
      },
      { reply: 'On.' },
    ]);
    const session = await stage.open();
    await session.send('Delegate.');
    await until(() => stage.sim.requests.length >= 8, 'all senders are asked');
    together.open();
    await expectSettled(session, stage);
    expectAllAccepted(stage.sim);
    const [rester = ''] = childIds(stage);
    const records = await readTranscript(agentTranscript(session, rester));
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1));
    const joined = new Set(records.flatMap(({ event }) => (event.kind === 'message-joined' ? event.from : [])));
    const messages = records.filter(
      ({ event }) =>
        event.kind === 'input-admitted' && event.blocks.some((block) => Buffer.from(block.bytes).includes('words of')),
    );
    expect(messages).toHaveLength(4);
    for (const { seq } of messages) expect(joined.has(seq)).toBe(true);
    const runs = records.flatMap(({ event }) =>
      event.kind === 'agent-state-changed' && event.state === 'running' ? [event.run] : [],
    );
    expect(runs).toEqual(runs.map((_, index) => index + 1));
    expect(callResults(stage, 'SendMessage').every((said) => /goes on in the background|will read it/.test(said))).toBe(
      true,
    );
  });

  it('LC-12: unknown: an error that lists who can be reached; the nearest first', async () => {
    const stage = await setStage([
      { when: { said: 'CHILD' }, reply: 'Done.' },
      { when: { nth: 1 }, reply: [childCall({ name: 'worker' })] },
      { when: { nth: 2 }, reply: [{ tool: 'SendMessage', input: { to: 'wroker', message: 'x' } }] },
      { reply: 'End.' },
    ]);
    const session = await stage.open();
    await session.send('Delegate.');
    const said = callResults(stage, 'SendMessage')[0] ?? '';
    expect(said).toContain('There is no agent "wroker". Nearest: worker.');
    expect(said).toContain(`${childIds(stage)[0]} (worker): general-purpose, completed`);
  });

  it('LC-12: a name that now belongs to another agent is refused with who it is', async () => {
    const held = gate();
    const stage = await setStage([
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      { when: { said: 'second job' }, reply: onceOpen(held, 'Second done.') },
      { when: { said: 'first job' }, reply: 'First done.' },
      // A child of the main agent takes the name that the main agent knows as its own first child's.
      {
        when: { said: 'middle', nth: 1 },
        reply: [childCall({ prompt: 'second job', name: 'w', run_in_background: true, description: 'the other' })],
      },
      { when: { said: 'middle' }, reply: 'Middle done.' },
      { when: { nth: 1 }, reply: [childCall({ prompt: 'first job', name: 'w' })] },
      { when: { nth: 2 }, reply: [childCall({ prompt: 'middle' })] },
      { when: { nth: 3 }, reply: [{ tool: 'SendMessage', input: { to: 'w', message: 'hello' } }] },
      { reply: 'End.' },
    ]);
    const session = await stage.open({ interactive: true });
    await session.send('Delegate.');
    held.open();
    await expectSettled(session, stage);
    const [first, , second] = childIds(stage);
    const said = callResults(stage, 'SendMessage')[0] ?? '';
    expect(said).toContain(`"w" is now another agent: ${second} (general-purpose, the other)`);
    expect(said).toContain(`Before, the name was that of ${first}`);
    expect(requestsWith(stage.sim, '<agent-message')).toEqual([]);
  });

  it('LC-12: a completed one-shot agent can’t be continued; children write to their parent and to each other', async () => {
    const held = gate();
    const stage = await setStage([
      { when: { said: 'EXPLORE' }, reply: 'Explored.' },
      { when: { said: 'LISTEN', user: 'psst' }, reply: 'I heard psst.' },
      { when: { said: 'LISTEN' }, reply: onceOpen(held, 'Nothing heard.') },
      {
        when: { said: 'SPEAK', nth: 1 },
        reply: [
          { tool: 'SendMessage', input: { to: 'listener', message: 'psst' } },
          { tool: 'SendMessage', input: { to: 'parent', message: 'up there' } },
        ],
      },
      { when: { said: 'SPEAK' }, reply: 'Spoken.' },
      {
        when: { nth: 1 },
        reply: [
          childCall({ prompt: 'EXPLORE', subagent_type: 'Explore', name: 'scout' }),
          childCall({ prompt: 'LISTEN', name: 'listener', run_in_background: true }),
          childCall({ prompt: 'SPEAK', name: 'speaker' }),
        ],
      },
      { when: { nth: 2 }, reply: [{ tool: 'SendMessage', input: { to: 'scout', message: 'more' } }] },
      { reply: 'End.' },
    ]);
    const session = await stage.open();
    await session.send('Delegate.');
    held.open();
    await expectSettled(session, stage);
    expect(callResults(stage, 'SendMessage').some((said) => said.includes('is done for good'))).toBe(true);
    expect(requestsWith(stage.sim, '<agent-message from=\\"speaker (').length).toBeGreaterThan(0);
    const main = requestsWith(stage.sim, 'up there').find((raw) => raw.includes('Delegate.')) ?? '';
    expect(main.includes('it gives you no permission you did not have')).toBe(true);
    expect(noticesIn(stage.events).map(({ text }) => text)).toEqual([expect.stringContaining('I heard psst.')]);
    expectAllAccepted(stage.sim);
  });

  it('LC-13: TaskOutput gives progress while it runs and the conclusion after; ListAgents says who is there', async () => {
    const held = gate();
    const stage = await setStage([
      { when: { said: 'CHILD', nth: 1 }, reply: [{ tool: 'Glob', input: { pattern: '*.md' } }] },
      { when: { said: 'CHILD' }, reply: onceOpen(held, 'The conclusion.') },
      { when: { nth: 1 }, reply: [childCall({ name: 'worker', run_in_background: true })] },
      { when: { nth: 2 }, reply: [{ tool: 'TaskOutput', input: { task_id: 'worker', block: true, timeout: 150 } }] },
      {
        when: { nth: 3 },
        reply: () => {
          held.open();
          return [{ tool: 'TaskOutput', input: { task_id: 'worker', timeout: 20_000 } }];
        },
      },
      {
        when: { nth: 4 },
        reply: [
          { tool: 'ListAgents', input: {} },
          { tool: 'TaskOutput', input: { task_id: 'nobody' } },
        ],
      },
      { reply: 'End.' },
    ]);
    const session = await stage.open();
    await session.send('Delegate.');
    await expectSettled(session, stage);
    const [id] = childIds(stage);
    const outputs = callResults(stage, 'TaskOutput');
    expect(outputs[0]).toMatch(new RegExp(`^${id} \\(worker\\): running\ngeneral-purpose: a part\nGlob {`));
    expect(outputs[0]).not.toContain('tool_use');
    expect(outputs[1]).toBe(`${id} (worker): completed\n\nThe conclusion.`);
    expect(outputs[2]).toMatch(/^There is no task nobody. There are:\n/);
    expect(callResults(stage, 'ListAgents')[0]).toContain('main (you): main, running');
    expectAllAccepted(stage.sim);
  });

  it('LC-14: an agent the user stopped stays stopped; one a model stopped can continue', async () => {
    for (const who of ['person', 'model'] as const) {
      const begun = gate();
      const stage = await setStage([
        { when: { said: 'CHILD', user: 'Go on.' }, reply: 'Went on.' },
        {
          when: { said: 'CHILD' },
          reply: () => {
            begun.open();
            return new Promise<string>(() => {});
          },
        },
        { when: { nth: 1 }, reply: [childCall({ name: 'worker', run_in_background: true })] },
        ...(who === 'model'
          ? [
              {
                when: { nth: 2 },
                reply: onceOpen(begun, [{ tool: 'TaskStop', input: { task_id: 'worker' } }]),
              },
            ]
          : []),
        {
          when: { user: '<status>stopped</status>' },
          reply: [{ tool: 'SendMessage', input: { to: 'worker', message: 'Go on.' } }],
        },
        { reply: 'End.' },
      ]);
      const session = await stage.open();
      await session.send('Delegate.');
      await begun.opened;
      if (who === 'person') await session.tasks()[0]?.stop();
      await expectSettled(session, stage);
      const [id = ''] = childIds(stage);
      const states = await statesOf(session, id);
      const stops = (await readTranscript(agentTranscript(session, id))).flatMap(({ event }) =>
        event.kind === 'agent-state-changed' && event.state === 'stopped' ? [event.by] : [],
      );
      expect(stops).toEqual([who]);
      if (who === 'person') {
        expect(callResults(stage, 'SendMessage')[0]).toContain('was stopped by the person and stays stopped');
        expect(states).toEqual(['running', 'stopped']);
      } else {
        expect(states, stage.sim.report()).toEqual(['running', 'stopped', 'running', 'completed']);
      }
    }
  });

  it('LC-13: an agent can’t stop itself, its parent or a sibling', async () => {
    const stage = await setStage([
      { when: { said: 'LISTEN' }, reply: 'Listened.' },
      {
        when: { said: 'CHILD', nth: 1 },
        reply: [
          { tool: 'TaskStop', input: { task_id: 'me' } },
          { tool: 'TaskStop', input: { task_id: 'other' } },
        ],
      },
      { when: { said: 'CHILD' }, reply: 'Tried.' },
      { when: { nth: 1 }, reply: [childCall({ prompt: 'LISTEN', name: 'other' }), childCall({ name: 'me' })] },
      { reply: 'End.' },
    ]);
    const session = await stage.open();
    await session.send('Delegate.');
    await until(
      () => eventsOf(stage, 'agent-state-changed').filter((event) => event.state === 'completed').length === 2,
      'both completed',
    );
    const refused = eventsOf(stage, 'call-finished').filter((event) => event.tool === 'TaskStop');
    expect(refused.map((event) => event.isError)).toEqual([true, true]);
  });
});
