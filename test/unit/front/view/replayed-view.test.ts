/** A transcript replayed is a session watched: both folds come to the same view. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Session } from '../../../../src/front/sdk/session.js';
import { createView, type SessionView } from '../../../../src/front/view/session-view.js';
import { eventsOf, readTranscript, type Stage, setStage } from '../../../support/story.js';

const agent = (prompt: string, more: object = {}) => ({
  tool: 'Agent',
  input: { description: 'a part', prompt, ...more },
});

it('LC-20: live events and the records read back give equal agents, statuses, usage and totals', async () => {
  const stage = await setStage([
    { when: { user: 'Once more.' }, reply: 'Gone on.' },
    {
      when: { said: 'FIRST', nth: 1 },
      reply: [
        { tool: 'Glob', input: { pattern: '*' } },
        { tool: 'Nothing', input: {} },
      ],
    },
    { when: { said: 'FIRST' }, reply: 'First done.' },
    // Cut off after part of it was paid: only the end of the run reports it.
    { when: { said: 'SECOND', nth: 1 }, fault: { kind: 'disconnect', at: 3, times: 1 }, reply: 'Second done.' },
    { when: { said: 'SECOND' }, reply: 'Second done.' },
    { when: { user: '<task-notification>' }, reply: 'Heard.' },
    {
      when: { nth: 1 },
      reply: [
        agent('FIRST', { name: 'first' }),
        agent('SECOND', { run_in_background: true, model: 'haiku' }),
        { tool: 'Bash', input: { command: 'echo out', run_in_background: true } },
        { tool: 'Write', input: { file_path: join('/', 'outside.txt'), content: 'x' } },
        { tool: 'TodoWrite', input: { todos: [{ content: 'look', status: 'pending', activeForm: 'looking' }] } },
      ],
    },
    { reply: 'Handed on.' },
  ]);
  const session = await stage.open({ allowedTools: ['Bash'], disallowedTools: [] });
  await session.send('Delegate.');
  await session.settled(20_000);
  const first = [...watched(stage).agents.values()].find(({ name }) => name === 'first')?.id ?? '';
  expect(await session.resumeAgent(first, 'Once more.')).toBeUndefined();
  await session.settled(20_000);
  await session.setMode('plan');
  await session.close();

  const live = watched(stage);
  const again = await replayed(session);
  expect(shown(again)).toEqual(shown(live));

  // The story was worth telling.
  const told = [...live.agents.values()].map(({ id, name = id === 'main' ? 'main' : 'second', ...agent }) => {
    const { status, run, toolUses } = agent;
    return [name, [status, run, toolUses]] as const;
  });
  // The two start at once: the order of their first records depends on the disk.
  expect(told).toHaveLength(3);
  expect(Object.fromEntries(told)).toEqual({
    main: ['waiting', 1, 5],
    first: ['completed', 2, 2],
    second: ['completed', 1, 0],
  });
  expect(eventsOf(stage, 'response-discarded').map(({ usage }) => usage.input + usage.cacheWrite5m > 0)).toEqual([
    true,
  ]);
  expect(live.totals.denials).toMatchObject([{ tool_name: 'Write', tool_input: { content: 'x' } }]);
  expect([...live.shells.values()]).toMatchObject([{ owner: 'main', command: 'echo out', status: 'completed' }]);
  expect([live.mode, live.todos.length, live.totals.usageByModel.size]).toEqual(['plan', 1, 2]);
});

function watched({ events }: Stage): SessionView {
  const view = createView();
  for (const event of events) view.apply(event, 0);
  return view;
}

/** One transcript after another. */
async function replayed({ transcript }: Session): Promise<SessionView> {
  const view = createView();
  const folder = transcript.replace(/\.jsonl$/, '/subagents');
  const children = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
  const files = [
    ['main', transcript],
    ...children.map((name) => [name.slice('agent-'.length, -6), join(folder, name)]),
  ];
  for (const [id = '', path = ''] of files) {
    for (const { seq, event } of await readTranscript(path)) view.apply({ agent: id, seq, event }, 0);
  }
  return view;
}

/** Everything except times and facts of a live session. */
function shown({ agents, shells, totals, todos, mode, notices }: SessionView) {
  return {
    agents: new Map([...agents].map(([id, { progress: _, ...agent }]) => [id, agent])),
    shells,
    totals,
    todos,
    mode,
    notices,
  };
}
