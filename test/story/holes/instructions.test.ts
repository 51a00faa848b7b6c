/** EX-1: the instructions of a folder reach every agent that works there, for as long as it can still read them. */

import { expect, it } from 'vitest';
import { parseBlock } from '../../../src/protocol/frozen-block.js';
import { expectAllAccepted, type Stage, setStage } from '../../support/story.js';

const RULE = 'RULE-OF-SUB';

async function stageWithSub(): Promise<{ stage: Stage; read: object }> {
  const stage = await setStage();
  await stage.write('sub/CLAUDE.md', RULE);
  const path = await stage.write('sub/a.txt', 'x');
  return { stage, read: { tool: 'Read', input: { file_path: path } } };
}

/** Agents in the order in which they were told. */
function told({ events }: Stage): string[] {
  return events.flatMap(({ agent, event }) => {
    if (event.kind !== 'input-admitted') return [];
    const words = event.blocks.map(parseBlock).map((block) => (block.type === 'text' ? block.text : ''));
    return words.some((word) => word.includes(RULE)) ? [agent] : [];
  });
}

it('EX-1: a child that worked there first takes them from nobody: the main agent and a second child are informed too', async () => {
  const { stage, read } = await stageWithSub();
  const agent = (prompt: string) => ({ tool: 'Agent', input: { prompt, description: 'd' } });
  stage.sim.use([
    { when: { said: 'CHILD', result: { tool: 'Read' } }, reply: 'ok' },
    { when: { said: 'CHILD' }, reply: [read as never] },
    { when: { nth: 1 }, reply: [agent('CHILD one')] },
    { when: { nth: 2 }, reply: [read as never] },
    { when: { nth: 3 }, reply: [agent('CHILD two')] },
    { when: { nth: 4 }, reply: [read as never] },
    { reply: 'done' },
  ]);
  const session = await stage.open();
  expect((await session.send('go')).reason).toBe('completed');
  expectAllAccepted(stage.sim);
  const [first, main, second, ...more] = told(stage);
  expect(main).toBe('main');
  expect(new Set([first, main, second]).size).toBe(3);
  // Once each: the second read of the main agent brought nothing.
  expect(more).toEqual([]);
});

it('EX-1: they come again after a compaction, when a file there is read again', async () => {
  const { stage, read } = await stageWithSub();
  stage.sim.use([
    { when: { user: '<compaction>' }, reply: 'the summary' },
    { when: { user: 'read it' }, reply: [read as never] },
    { reply: 'done' },
  ]);
  const session = await stage.open();
  await session.send('read it');
  await session.send('read it once more');
  expect(told(stage)).toEqual(['main']);
  expect(await session.execute({ type: 'compact' })).toEqual({ ok: true });
  await session.send('now read it again');
  expectAllAccepted(stage.sim);
  expect(told(stage)).toEqual(['main', 'main']);
  expect(stage.sim.requests.at(-1)?.raw.toString('utf8')).toContain(RULE);
});

it('EX-1: a fork that has read them from its parent is not told again; in its own folder it is', async () => {
  const { stage, read } = await stageWithSub();
  await stage.write('other/CLAUDE.md', 'RULE-OF-OTHER');
  const other = await stage.write('other/b.txt', 'y');
  stage.sim.use([
    { when: { user: 'as a fork' }, reply: [read as never, { tool: 'Read', input: { file_path: other } }] },
    { when: { user: 'read it' }, reply: [read as never] },
    { reply: 'done' },
  ]);
  const session = await stage.open();
  await session.send('read it');
  const result = await session.fork('as a fork');
  expect(result.status).toBe('completed');
  expect(told(stage)).toEqual(['main']);
  const sent = stage.sim.requests.at(-1)?.raw.toString('utf8') ?? '';
  expect(sent.split(RULE)).toHaveLength(2);
  expect(sent).toContain('RULE-OF-OTHER');
});
