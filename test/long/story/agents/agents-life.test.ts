import { describe, expect, it } from 'vitest';
import { ALPHA, bash, gathering } from '../../../story/agents/agents-life-stage.js';
import { agentCall, begin, mainResults, requestOf, resultsIn, script } from '../../../story/agents/agents-script.js';
import { fastHost } from '../../../support/hosts/fast-host.js';
import { eventsOf, expectAllAccepted, setStage } from '../../../support/story.js';

describe('foreground children', () => {
  it('LC-16: 20 children that each start one, limit 20: all finish', async () => {
    const gate = gathering(20);
    const stage = await setStage(
      script({
        main: [Array.from({ length: 20 }, (_, n) => agentCall(`UPPER ${n}.`)), 'all done'],
        LOWER: ['lower done'],
        UPPER: [],
      }),
    );
    stage.sim.use([
      { when: { said: 'LOWER' }, reply: 'lower done' },
      {
        when: { said: 'UPPER', nth: 1 },
        reply: async () => {
          await gate.join();
          return [agentCall('LOWER task'), agentCall('LOWER task')];
        },
      },
      { when: { said: 'UPPER' }, reply: 'upper done' },
      ...script({ main: [Array.from({ length: 20 }, (_, n) => agentCall(`UPPER ${n}.`)), 'all done'] }),
    ]);
    await stage.settings({ maxConcurrentAgents: 20 });
    const session = await stage.open();
    expect((await session.send(begin())).text).toBe('all done');
    expectAllAccepted(stage.sim);
    expect(eventsOf(stage, 'agent-spawned')).toHaveLength(60);
    // Every place was given back: as many again can work.
    const again = gathering(20);
    stage.sim.use([
      { when: { said: 'NEXT' }, reply: async () => again.join().then(() => 'next done') },
      ...script({ main: [Array.from({ length: 20 }, (_, n) => agentCall(`NEXT ${n}.`)), 'again done'] }),
    ]);
    expect((await session.send('again')).text).toBe('again done');
  });

  it('LC-16: a queue of more than 200 is a tool error that says so', async () => {
    const gate = gathering(3);
    const stage = await setStage(
      script({
        main: [Array.from({ length: 205 }, (_, n) => agentCall(`TASK ${n}.`)), 'all done'],
        TASK: [async () => gate.opened.then(() => 'done')],
      }),
    );
    await stage.settings({ maxConcurrentAgents: 2 });
    const session = await stage.open();
    session.watch(({ agent, event }) => {
      if (agent === 'main' && event.kind === 'call-finished' && event.isError) void gate.join();
    });
    expect((await session.send(begin())).text).toBe('all done');
    const refused = mainResults(stage).filter(({ isError }) => isError);
    expect(refused).toHaveLength(3);
    expect(refused[0]?.text).toMatch(/\d+ agents wait already/);
    expect(eventsOf(stage, 'agent-spawned')).toHaveLength(202);
  });

  it('LC-18: a tool that takes long is not the agent’s silence', async () => {
    const stage = await setStage(
      script({ main: [[agentCall(ALPHA)], 'ok'], [ALPHA]: [[bash('sleep 1.5; echo slept')], 'done after all'] }),
    );
    await stage.settings({ stallMs: 60_000 });
    // A second of ours is 200 of the agents': five minutes pass in the tool.
    const session = await stage.open({ host: fastHost(stage.folder, stage.env, 60), allowedTools: ['Bash'] });
    await session.send(begin());
    expect(mainResults(stage)[0]?.text).toMatch(/^done after all/);
    expect(resultsIn(requestOf(stage.sim, ALPHA, 2))[0]?.text).toContain('slept');
  });
});
