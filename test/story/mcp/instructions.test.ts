/** What servers say about their use: announced once in each conversation, also after it began again. */

import { expect, it } from 'vitest';
import { smallServer } from '../../support/mcp/small-server.js';
import { count, wordsIn } from '../../support/mcp/told.js';
import { expectAllAccepted, setStage } from '../../support/story.js';

const WORDS = 'Ask me before lunch.';

it.each(['clear', 'compact'] as const)('MC-18 after %s it is told again, once', async (type) => {
  const stage = await setStage([{ when: { user: '<compaction>' }, reply: 'a summary' }, { reply: 'ok' }]);
  await stage.settings({
    mcpServers: { s: smallServer({ instructions: WORDS }), bad: { command: '/no/such/program' } },
  });
  const session = await stage.open();
  const told = () => {
    const words = wordsIn(stage.sim.requests.at(-1));
    return [count(words, WORDS), count(words, 'The MCP server "bad" can\'t be used now')];
  };
  await session.send('one');
  expect(told()).toEqual([1, 1]);
  await session.send('two');
  expect(told()).toEqual([1, 1]);
  for (const round of [1, 2]) {
    expect(await session.execute({ type })).toEqual({ ok: true });
    await session.send(`three ${round}`);
    await session.send(`four ${round}`);
    expect(told(), wordsIn(stage.sim.requests.at(-1))).toEqual([1, 1]);
    expect(wordsIn(stage.sim.requests.at(-1))).not.toContain('one');
  }
  expectAllAccepted(stage.sim);
});

it('MC-18 DU-18 a resumed session is not told again; one whose words changed is, once', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  await stage.settings({ mcpServers: { s: smallServer({ instructions: WORDS }) } });
  const first = await stage.open();
  await first.send('one');
  await first.close();
  const second = await stage.open({ resume: first.id });
  await second.send('two');
  expect(count(wordsIn(stage.sim.requests.at(-1)), WORDS)).toBe(1);
  await second.close();
  await stage.settings({ mcpServers: { s: smallServer({ instructions: 'Now after lunch.' }) } });
  const third = await stage.open({ resume: first.id });
  await third.send('three');
  await third.send('four');
  const words = wordsIn(stage.sim.requests.at(-1));
  expect([count(words, WORDS), count(words, 'Now after lunch.')]).toEqual([1, 1]);
  expectAllAccepted(stage.sim);
});

it('MC-18 a child gets once what the servers say, of its own and of the session', async () => {
  const stage = await setStage([
    { when: { user: 'CHILD' }, reply: 'child done' },
    { when: { nth: 1 }, reply: [{ tool: 'Agent', input: { subagent_type: 'worker', prompt: 'CHILD' } }] },
    { reply: 'ok' },
  ]);
  await stage.settings({ mcpServers: { s: smallServer({ instructions: WORDS }) } });
  const own = JSON.stringify({ own: smallServer({ name: 'own', instructions: 'Mine is the night.' }) });
  await stage.write(
    '.claude/agents/worker.md',
    `---\nname: worker\ndescription: d\nmcpServers:\n  - ${own}\n---\nYou are a worker\n`,
  );
  const session = await stage.open({ trust: true });
  await session.send('go');
  const child = stage.sim.requests.find(({ raw }) => raw.includes('You are a worker'));
  const words = wordsIn(child);
  expect([count(words, WORDS), count(words, 'Mine is the night.')], stage.sim.report()).toEqual([1, 1]);
  expect(wordsIn(stage.sim.requests[0])).not.toContain('Mine is the night.');
});
