import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/front/sdk/session.js';
import type { AgentSnapshot } from '../../../src/front/view/snapshots.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { findFaults } from '../../../src/session/repair/find-faults.js';
import { readState } from '../../../src/session/state/read-state.js';
import { fastHost } from '../../support/hosts/fast-host.js';
import { runningWith } from '../../support/processes.js';
import { agentTranscripts } from '../../support/session-files.js';
import { eventsOf, expectAllAccepted, readTranscript, type Stage, setStage } from '../../support/story.js';
import { ALPHA, bash, gathering } from './agents-life-stage.js';
import { agentCall, begin, mainResults, requestsOf, script } from './agents-script.js';

const BETA = 'TASK beta';

const FOR_EVER = 600_000;

const glob = { tool: 'Glob', input: { pattern: '*' } };

describe('foreground children', () => {
  it('LC-1: 32 children of one message are all in flight at the same time', async () => {
    const gate = gathering(32);
    const calls = Array.from({ length: 32 }, (_, n) => agentCall(`TASK number ${n}.`));
    const stage = await setStage(
      script({
        main: [calls, 'all done'],
        TASK: [
          async ({ said }) => {
            await gate.join();
            return `I was ${/number \d+/.exec(said.join())?.[0]}.`;
          },
        ],
      }),
    );
    await stage.settings({ maxConcurrentAgents: 32 });
    const end = await (await stage.open()).send(begin());
    expect(end.text).toBe('all done');
    expectAllAccepted(stage.sim);
    expect(gate.come()).toBe(32);
    // In the order of the calls, whoever came first.
    expect(mainResults(stage).map(({ text }) => text.split('\n')[0])).toEqual(
      calls.map((_, n) => `I was number ${n}.`),
    );
  });

  it('LC-2: an abort reaches children and theirs, with their processes, and leaves whole conversations', async () => {
    const stage = await setStage([
      { when: { user: 'still there?' }, reply: 'still here' },
      ...script({
        main: [[agentCall('LEVEL-1'), agentCall(BETA), glob]],
        'LEVEL-1': [[agentCall('LEVEL-2')]],
        'LEVEL-2': [[bash('sleep 4711 & sleep 4712')]],
        [BETA]: [() => new Promise(() => {})],
      }),
    ]);
    const session = await stage.open({ allowedTools: ['Bash'] });
    const work = session.send(begin());
    await new Promise<void>((resolve) => {
      const stop = session.watch(({ event }) => {
        if (event.kind !== 'call-intended' || event.tool !== 'Bash') return;
        stop();
        resolve();
      });
    });
    while (runningWith('sleep 471').length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    session.interrupt();
    expect((await work).reason).toBe('interrupted');
    await session.settled();
    expect(runningWith('sleep 471')).toEqual([]);
    const states = session
      .snapshot()
      .filter(({ depth }) => depth > 0)
      .map(({ status }) => status);
    expect(states).toEqual(['interrupted', 'interrupted', 'interrupted']);
    await expectWhole(stage, session);
    expect(await session.send('still there?')).toMatchObject({ text: 'still here' });
    expect(stage.sim.requests.filter(({ status }) => status !== undefined && status !== 200)).toEqual([]);
  });

  it('LC-16: more than the limit wait, visible as queued, and start in order', async () => {
    const allWait = gathering(5);
    let working = 0;
    let most = 0;
    const order: string[] = [];
    const stage = await setStage(
      script({
        main: [Array.from({ length: 5 }, (_, n) => agentCall(`TASK number ${n}.`)), 'all done'],
        TASK: [
          async ({ said }) => {
            order.push(/number (\d+)/.exec(said.join())?.[1] ?? '?');
            working += 1;
            most = Math.max(most, working);
            await allWait.join();
            working -= 1;
            return 'done';
          },
        ],
      }),
    );
    await stage.settings({ maxConcurrentAgents: 1 });
    const session = await stage.open();
    const seen = new Set<string>();
    session.watch(({ event }) => {
      for (const { status } of session.snapshot()) seen.add(status);
      if (event.kind === 'agent-queued') void allWait.join();
    });
    await session.send(begin());
    expect(most).toBe(1);
    expect(order.slice(1)).toEqual(order.slice(1).sort());
    expect(seen).toContain('queued');
    expect(eventsOf(stage, 'agent-queued')).toHaveLength(4);
  });

  it('LC-17: one budget for the whole tree: children stop with what they had, and no more are started', async () => {
    const stage = await setStage(
      script({
        main: [[agentCall(ALPHA), agentCall(BETA)], [agentCall('TASK gamma')], 'enough'],
        [ALPHA]: [['Something found.', glob]],
        [BETA]: [['Something else.', glob]],
      }),
    );
    const session = await stage.open({ maxTokens: 120_000 });
    const end = await session.send(begin());
    expect(end.reason).toBe('max_tokens');
    const results = stage.events.flatMap(({ agent, event }) =>
      event.kind === 'call-finished' && event.tool === 'Agent' && agent === 'main' ? [event] : [],
    );
    expect(results.length).toBeGreaterThanOrEqual(2);
    const said = results.map(({ blocks }) => new TextDecoder().decode(blocks[0]?.bytes));
    expect(said.join('\n')).toMatch(/budget.*Something found\./);
    expect(said.join('\n')).toMatch(/budget.*Something else\./);
    expect(requestsOf(stage.sim, 'TASK gamma')).toEqual([]);
    const used = stage.sim.requests.reduce(
      (sum, { usage }) =>
        sum +
        (usage?.input_tokens ?? 0) +
        (usage?.output_tokens ?? 0) +
        (usage?.cache_read_input_tokens ?? 0) +
        (usage?.cache_creation_input_tokens ?? 0),
      0,
    );
    expect(used).toBeLessThanOrEqual(120_000);
  });

  it('LC-17: a spawn that the budget can’t pay for is refused', async () => {
    const stage = await setStage(
      script({
        main: [() => ({ blocks: [agentCall(ALPHA)], usage: { output: 14_000 } }), 'enough'],
        [ALPHA]: ['never'],
      }),
    );
    await (await stage.open({ maxTokens: 20_000 })).send(begin());
    const result = stage.events.flatMap(({ event }) =>
      event.kind === 'call-finished' ? [new TextDecoder().decode(event.blocks[0]?.bytes)] : [],
    );
    expect(result[0]).toMatch(/No agent was started: .*budget is used up/);
    expect(requestsOf(stage.sim, ALPHA)).toEqual([]);
  });

  it('LC-17: max_usd of a call stops that child alone', async () => {
    const stage = await setStage(
      script({
        main: [[agentCall(ALPHA, { max_usd: 0.15 }), agentCall(BETA)], 'ok'],
        [ALPHA]: [['So far.', glob]],
        [BETA]: ['done'],
      }),
    );
    const session = await stage.open();
    expect((await session.send(begin())).text).toBe('ok');
    const [alpha, beta] = mainResults(stage);
    expect(alpha).toMatchObject({ isError: true });
    expect(alpha?.text).toMatch(/failed \(max_usd\)/);
    expect(alpha?.text).toContain('So far.');
    expect(beta).toMatchObject({ isError: false });
  });

  it('LC-18: a child that hears nothing from the model is failed with what it had', async () => {
    const stage = await setStage([
      { when: { said: ALPHA, nth: 2 }, fault: { kind: 'silence', at: 1 }, reply: 'never' },
      ...script({ main: [[agentCall(ALPHA)], 'ok'], [ALPHA]: [['Half way.', glob]] }),
    ]);
    await stage.settings({ stallMs: 60_000 });
    const session = await stage.open({ host: fastHost(stage.folder, stage.env, 200) });
    expect((await session.send(begin())).text).toBe('ok');
    const [result] = mainResults(stage);
    expect(result).toMatchObject({ isError: true });
    expect(result?.text).toContain('Half way.');
    expect(result?.text).toMatch(/nothing came from the model/);
  });

  it('LC-20: every agent at any time: state, tool, turns, tokens, share, cost, depth, question', async () => {
    const shots: AgentSnapshot[][] = [];
    const stage = await setStage(
      script({
        main: [[agentCall(ALPHA, { name: 'finder', description: 'find it' })], 'ok'],
        [ALPHA]: [[glob], [bash('touch x')], 'done'],
      }),
    );
    const session = await stage.open({
      onPermission: async () => {
        shots.push([...session.snapshot()]);
        return { behavior: 'allow' };
      },
    });
    await session.send(begin());
    const [main, child] = shots[0] ?? [];
    expect(main).toMatchObject({ id: 'main', depth: 0, status: 'running', tool: 'Agent', turns: 1 });
    expect(child).toMatchObject({
      type: 'general-purpose',
      name: 'finder',
      description: 'find it',
      parent: 'main',
      depth: 1,
      status: 'running',
      model: 'claude-opus-5-5',
      folder: stage.folder,
      turns: 2,
      toolUses: 2,
      tool: 'Bash',
      question: { tool: 'Bash' },
    });
    expect(child?.tokensIn).toBeGreaterThan(0);
    expect(child?.tokensOut).toBeGreaterThan(0);
    expect(child?.cacheShare).toBeGreaterThan(0);
    expect(child?.costUsd).toBeGreaterThan(0);
    const now = () => session.snapshot().find(({ id }) => id === child?.id);
    const ended = now();
    expect(ended).toMatchObject({ status: 'completed', tool: undefined, question: undefined, turns: 3 });
    const elapsed = ended?.elapsedMs;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(now()?.elapsedMs).toBe(elapsed);
  });

  it('DU-8: an agent’s life is a log: spawned, running, its result, its end; the end of a run is final', async () => {
    const stage = await setStage(
      script({
        main: [[agentCall(ALPHA), agentCall(BETA, { max_turns: 1 })], 'ok'],
        [ALPHA]: ['done'],
        [BETA]: [[glob]],
      }),
    );
    const session = await stage.open();
    await session.send(begin());
    await session.settled();
    const logs = new Map<string, string[]>();
    for (const path of await agentTranscripts(session)) {
      const records = await readTranscript(path);
      expect(records[0]?.event).toMatchObject({
        kind: 'agent-spawned',
        parent: 'main',
        depth: 1,
        origin: 'agent:built-in:general-purpose',
      });
      const life = records.flatMap(({ event }) => {
        if (event.kind === 'agent-state-changed') return [`${event.state} ${event.run}`];
        if (event.kind === 'result-made') return [`result ${event.status} ${event.text}`];
        return [];
      });
      const spawned = records[0]?.event;
      logs.set(spawned?.kind === 'agent-spawned' ? spawned.description : '', life);
    }
    expect(logs.get(ALPHA)).toEqual(['running 1', 'result completed done', 'completed 1']);
    expect(logs.get(BETA)).toEqual(['running 1', 'result failed ', 'failed 1']);
  });
});

it('LC-2: nothing is left of a child whose request hangs for ever', async () => {
  const stage = await setStage([
    { when: { said: ALPHA }, reply: 'too late', delay: { firstMs: FOR_EVER } },
    ...script({ main: [[agentCall(ALPHA)]] }),
  ]);
  const session = await stage.open();
  const work = session.send(begin());
  await stage.sim.received(2);
  session.interrupt();
  expect((await work).reason).toBe('interrupted');
  await expectWhole(stage, session);
});

/** Every conversation on disk is one that could be sent as it is, with no call left open. */
async function expectWhole(stage: Stage, session: Session): Promise<void> {
  const { files } = nodeHost(stage.folder);
  for (const path of [session.transcript, ...(await agentTranscripts(session))]) {
    const read = await readState(files, path);
    if (read.kind !== 'read') throw new Error(`${path}: ${read.kind}`);
    const { faults, open } = findFaults([...read.state.history], () => ({ kind: 'open' }) as never);
    expect({ path, faults, open }).toEqual({ path, faults: [], open: [] });
  }
}
