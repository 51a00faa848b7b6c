/** AG-16: the chain names which tree an agent belongs to and where it stands in it: in records, hooks, requests, views. */

import { expect, it } from 'vitest';
import { agentTranscript } from '../../support/session-files.js';
import { eventsOf, expectAllAccepted, readTranscript, setStage } from '../../support/story.js';
import { agentCall, requestOf, requestsOf, script } from './agents-script.js';

const [ALPHA, BETA, GAMMA] = ['ALPHA', 'BETA', 'GAMMA'];
const glob = { tool: 'Glob', input: { pattern: '*' } };

it('AG-16: a child’s chain is its parent’s and one id more, in its record, its hooks and the headers of its requests', async () => {
  const heard = new Map<string, unknown>();
  const stage = await setStage(
    script({
      main: [[agentCall(ALPHA), agentCall(GAMMA, { fork: true })], 'ok'],
      [ALPHA]: [[glob, agentCall(BETA)], 'a'],
      [BETA]: [[glob], 'b'],
      [GAMMA]: [[glob], 'c'],
    }),
  );
  const session = await stage.open({
    fork: 'on',
    hooks: {
      UserPromptSubmit: [{ hooks: [({ chain, depth }) => void heard.set('main', { chain, depth })] }],
      PreToolUse: [
        { matcher: 'Glob', hooks: [({ agent_id = '', chain, depth }) => void heard.set(agent_id, { chain, depth })] },
      ],
    },
  });
  await session.send('Delegate.');
  expectAllAccepted(stage.sim);
  const root = session.id.slice(-12);
  const [alpha, gamma, beta] = eventsOf(stage, 'agent-spawned').sort((a, b) => a.depth - b.depth);
  const [a = '', c = '', b = ''] = [alpha?.agent, gamma?.agent, beta?.agent];
  const byType = alpha?.type === 'fork' ? { child: c, fork: a } : { child: a, fork: c };
  const chains: Record<string, { chain: string; depth: number }> = {
    main: { chain: root, depth: 0 },
    [byType.child]: { chain: `${root}/${byType.child}`, depth: 1 },
    [byType.fork]: { chain: `${root}/${byType.fork}`, depth: 1 },
    [b]: { chain: `${root}/${byType.child}/${b}`, depth: 2 },
  };
  expect(Object.fromEntries(heard)).toEqual(chains);
  expect(Object.fromEntries(session.snapshot().map(({ id, chain, depth }) => [id, { chain, depth }]))).toEqual(chains);
  const headers = (word: string) => {
    const sent = word === 'main' ? stage.sim.requests[0] : requestOf(stage.sim, word);
    const { 'x-coppice-chain': chain, 'x-coppice-depth': depth } = sent?.headers ?? {};
    return { chain, depth: Number(depth) };
  };
  expect([headers('main'), headers(ALPHA), headers(BETA), headers(GAMMA)]).toEqual([
    chains.main,
    chains[byType.child],
    chains[b],
    chains[byType.fork],
  ]);
  for (const id of [a, b, c]) {
    const [first] = await readTranscript(agentTranscript(session, id));
    expect(first?.event).toMatchObject({ kind: 'agent-spawned', ...chains[id] });
  }
  const [started] = await readTranscript(session.transcript);
  expect(started?.event).toMatchObject({ kind: 'session-started', chain: root });
});

it('AG-16: a resume keeps the chain of an agent, a branch of the session has its own', async () => {
  const stage = await setStage(
    script({
      main: [
        [agentCall(ALPHA, { name: 'w' })],
        'ok',
        [{ tool: 'SendMessage', input: { to: 'w', message: 'more' } }],
        'ok',
      ],
      [ALPHA]: ['a'],
    }),
  );
  const session = await stage.open();
  await session.send('Delegate.');
  await session.close();
  const again = await stage.open({ resume: session.id });
  await again.send('Write.');
  await again.settled();
  await again.close();
  const chains = requestsOf(stage.sim, ALPHA)
    .filter(({ headers }) => headers['x-coppice-depth'] === '1')
    .map(({ headers }) => headers['x-coppice-chain']);
  expect(chains).toHaveLength(2);
  expect(chains[0]).toBe(chains[1]);
  expect(stage.sim.requests.at(-1)?.headers['x-coppice-chain']).toBe(session.id.slice(-12));
  const branch = await stage.open({ resume: session.id, branch: true });
  await branch.send('Go on.');
  expect(stage.sim.requests.at(-1)?.headers['x-coppice-chain']).toBe(branch.id.slice(-12));
  expect(branch.id).not.toBe(session.id);
});
