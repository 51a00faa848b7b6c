/** Children that wait for children of their own when the session ends: each end reaches one agent, once, and the right one. */

import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/front/sdk/session.js';
import type { SessionEvent } from '../../../src/protocol/events.js';
import type { Rule } from '../../../src/sim/index.js';
import { gate, onceOpen } from '../../support/gate.js';
import { agentTranscript } from '../../support/session-files.js';
import { eventsOf, readTranscript, type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { resultsById, wireText } from '../../support/wire-body.js';
import { cutAfter, die, expectNoneRefused } from './crash-stage.js';

/** Main waits for a child, which waits for a grandchild in the background, which is held until the gate opens. */
async function familyStage() {
  const held = gate();
  const asked = { grandchild: 0 };
  const rules: Rule[] = [
    {
      when: { user: 'task of the grandchild' },
      reply: onceOpen(held, 'grandchild says so', () => {
        asked.grandchild += 1;
      }),
    },
    { when: { said: 'task of the child', user: 'grandchild says so' }, reply: 'child heard of it' },
    { when: { said: 'task of the child', user: 'went to agent main' }, reply: 'child knows where it went' },
    { when: { said: 'task of the child', result: { tool: 'Agent' } }, reply: 'child waits' },
    {
      when: { user: 'task of the child' },
      reply: [
        {
          tool: 'Agent',
          input: { description: 'g', prompt: 'task of the grandchild', run_in_background: true },
          id: 'toolu_grand',
        },
      ],
    },
    {
      when: { user: 'begin' },
      reply: [{ tool: 'Agent', input: { description: 'c', prompt: 'task of the child' }, id: 'toolu_child' }],
    },
    { reply: 'main heard' },
  ];
  const stage = await setStage(rules);
  Object.assign(stage.env, { COPPICE_RESUME_AGENTS: 'auto' });
  const first = await stage.open();
  const sent = first.send('begin');
  await until(() => asked.grandchild === 1 && statuses(stage).includes('waiting'), 'the child waits');
  return { stage, first, sent, held, asked };
}

function statuses(stage: Stage): string[] {
  return eventsOf(stage, 'agent-state-changed').map(({ state }) => state);
}

const isStatus = ({ kind }: SessionEvent['event']) => kind === 'agent-state-changed';

function idOf(stage: Stage, description: string): string {
  return eventsOf(stage, 'agent-spawned').find((event) => event.description === description)?.agent ?? '';
}

/** How often the end of the grandchild was admitted, by agent. */
async function arrivals(stage: Stage, session: Session): Promise<Record<string, number>> {
  const files = { main: session.transcript, child: agentTranscript(session, idOf(stage, 'c')) };
  const counts: Record<string, number> = {};
  for (const [name, path] of Object.entries(files)) {
    const inputs = (await readTranscript(path)).flatMap(({ event }) =>
      event.kind === 'input-admitted' ? [event] : [],
    );
    counts[name] = inputs.filter(({ notice }) => notice?.agent === idOf(stage, 'g')).length;
  }
  return counts;
}

describe('a child that waits for its own children', () => {
  it('LC-9, DU-15: an interruption ends the child, the grandchild ends later: its notice reaches main, and not the resumed child again', async () => {
    const { stage, first, sent, held } = await familyStage();
    first.interrupt();
    await sent;
    held.open();
    await until(() => eventsOf(stage, 'input-admitted').some(({ notice }) => notice !== undefined), 'main has it');
    await first.settled();
    await first.close();
    const again = await stage.open({ resume: first.id });
    expect(await again.send('and?')).toMatchObject({ reason: 'completed' });
    await again.settled();
    await again.close();
    expectNoneRefused(stage.sim);
    expect(await arrivals(stage, first)).toEqual({ main: 1, child: 0 });
    // The child is informed where it went, instead of ending with words that were not its last.
    const last = wireText(stage.sim.requests.at(-1));
    expect(last).toContain('child knows where it went');
    expect(last.split('grandchild says so')).toHaveLength(2);
  });

  it('DU-15, LC-11: it died while it waited: it waits again, hears of the grandchild, and its result is what it says then', async () => {
    const { stage, first, held, asked } = await familyStage();
    await die(stage, first, held.open);
    const again = await stage.open({ resume: first.id });
    expect(await again.send('and?')).toMatchObject({ reason: 'completed', text: 'main heard' });
    await again.close();
    expectNoneRefused(stage.sim);
    expect(asked.grandchild).toBe(2);
    expect(resultsById(stage.sim.requests.at(-1)).get('toolu_child')).toContain('child heard of it');
    expect(await arrivals(stage, first)).toEqual({ main: 0, child: 1 });
  });

  it('DU-14, DU-15: the grandchild had ended and its notice was still owed: the child gets it, and is not over before', async () => {
    const { stage, first, sent, held } = await familyStage();
    held.open();
    await sent;
    await first.close();
    await cutAfter(first.transcript, 'call-intended');
    await cutAfter(agentTranscript(first, idOf(stage, 'c')), 'agent-state-changed', '"waiting"');
    const again = await stage.open({ resume: first.id });
    expect(await again.send('and?')).toMatchObject({ reason: 'completed', text: 'main heard' });
    await again.close();
    expectNoneRefused(stage.sim);
    expect(resultsById(stage.sim.requests.at(-1)).get('toolu_child')).toContain('child heard of it');
    expect(await arrivals(stage, first)).toEqual({ main: 0, child: 1 });
  });

  it('LC-2, DU-15: an interruption while a child comes back that waits for its own: both end, and can be resumed', async () => {
    const held = gate();
    const asked = { grandchild: 0 };
    const silent = onceOpen(held, 'too late', () => {
      asked.grandchild += 1;
    });
    const call = (of: string, id: string) => [
      { tool: 'Agent', input: { description: of, prompt: `task of ${of}` }, id },
    ];
    const stage = await setStage([
      { when: { user: 'task of g' }, reply: silent },
      { when: { user: 'task of c' }, reply: call('g', 'toolu_grand') },
      { when: { user: 'begin' }, reply: call('c', 'toolu_child') },
      { reply: 'main heard' },
    ]);
    Object.assign(stage.env, { COPPICE_RESUME_AGENTS: 'auto' });
    const first = await stage.open();
    void first.send('begin');
    await until(() => asked.grandchild === 1, 'the grandchild works');
    await die(stage, first, () => {});
    const again = await stage.open({ resume: first.id });
    const sent = again.send('and?');
    await until(() => asked.grandchild === 2, 'the grandchild works again');
    again.interrupt();
    expect(await sent).toMatchObject({ reason: 'interrupted' });
    const lastOf = (id: string) => stage.events.findLast(({ agent, event }) => agent === id && isStatus(event))?.event;
    for (const name of ['c', 'g']) expect(lastOf(idOf(stage, name))).toMatchObject({ state: 'interrupted' });
    await again.close();
    held.open();
  });
});
