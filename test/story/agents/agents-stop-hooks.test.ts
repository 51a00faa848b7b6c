/** AG-22: SubagentStop hooks hear of every end of a run. They can keep only a completed one going. */

import { expect, it } from 'vitest';
import type { HooksConfig } from '../../../src/gate/hooks/hook-config.js';
import { gate } from '../../support/gate.js';
import { fastHost } from '../../support/hosts/fast-host.js';
import { runningWith } from '../../support/processes.js';
import { agentTranscript } from '../../support/session-files.js';
import { eventsOf, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import {
  callResults,
  childCall,
  childIds,
  expectSettled,
  idOf,
  noticesIn,
  statesOf,
} from '../background/background-stage.js';
import { childFile, cutAfter, die } from '../durability/crash-stage.js';

type Heard = { reason: string | undefined; said: string | undefined; path: string | undefined };

function listener(answer: object = {}): { heard: Heard[]; hooks: HooksConfig } {
  const heard: Heard[] = [];
  const hook = (input: { reason?: string; last_assistant_message?: string; agent_transcript_path?: string }) => {
    const { reason, last_assistant_message: said, agent_transcript_path: path } = input;
    heard.push({ reason, said, path });
    return answer;
  };
  return { heard, hooks: { SubagentStop: [{ hooks: [hook] }] } };
}

const hang = { fault: 'silence' } as const;
const loop = ['so far', { tool: 'Glob', input: { pattern: '*' } }];

it('AG-22: it runs for limits, refusals, failures, silence and stops, with the reason and the child’s transcript', async () => {
  const { heard, hooks } = listener();
  const stage = await setStage([
    { when: { user: '<task-notification>' }, reply: 'Heard.' },
    { when: { said: 'LOOP' }, reply: loop },
    { when: { said: 'REFUSE' }, reply: { blocks: [], stop: 'refusal' } },
    { when: { said: 'BROKEN' }, fault: 'unauthorized' },
    { when: { said: 'SILENT' }, ...hang },
    { when: { said: 'FINE' }, reply: 'fine' },
    {
      when: { nth: 1 },
      reply: [
        childCall({ prompt: 'LOOP', name: 'loop', max_turns: 2 }),
        childCall({ prompt: 'REFUSE', name: 'refuse' }),
        childCall({ prompt: 'BROKEN', name: 'broken' }),
        childCall({ prompt: 'SILENT', name: 'silent' }),
        childCall({ prompt: 'FINE', name: 'fine' }),
      ],
    },
    { reply: 'End.' },
  ]);
  // Two seconds by the real clock: none of the others is that silent.
  await stage.settings({ stallMs: 100_000 });
  const session = await stage.open({ hooks, host: fastHost(stage.folder, stage.env, 50) });
  await session.send('Delegate.');
  await until(() => heard.length === 5, 'all five have ended');
  const ends = new Map(heard.map(({ path, ...end }) => [path, end]));
  const endOf = (name: string) => ends.get(agentTranscript(session, idOf(stage, name)));
  expect(heard).toHaveLength(5);
  expect(endOf('loop')).toEqual({ reason: 'max_turns', said: 'so far' });
  expect(endOf('refuse')).toEqual({ reason: 'refused', said: '' });
  expect(endOf('broken')).toEqual({ reason: 'api_error', said: '' });
  expect(endOf('silent')).toEqual({ reason: 'stalled', said: '' });
  expect(endOf('fine')).toEqual({ reason: 'completed', said: 'fine' });
});

it.each(['model', 'person'] as const)('AG-22: it runs once for a child that the %s stops', async (by) => {
  const { heard, hooks } = listener();
  const stage = await setStage([
    { when: { user: '<task-notification>' }, reply: 'Heard.' },
    { when: { said: 'CHILD', nth: 1 }, reply: loop },
    { when: { said: 'CHILD' }, ...hang },
    { when: { nth: 1 }, reply: [childCall({ name: 'worker', run_in_background: true })] },
    { when: { user: 'Stop it.' }, reply: [{ tool: 'TaskStop', input: { task_id: 'worker' } }] },
    { reply: 'On.' },
  ]);
  const session = await stage.open({ hooks });
  await session.send('Delegate.');
  await until(() => stage.sim.requests.filter(({ raw }) => raw.includes('CHILD') && raw.includes('so far')).length > 0);
  if (by === 'model') await session.send('Stop it.');
  else await session.tasks()[0]?.stop('person');
  await expectSettled(session, stage);
  expect(heard).toEqual([{ reason: 'stopped', said: 'so far', path: agentTranscript(session, idOf(stage, 'worker')) }]);
  expect(noticesIn(stage.events)).toHaveLength(1);
});

it('AG-22: it can’t keep a run going that has ended for another reason; that is reported', async () => {
  const { heard, hooks } = listener({ decision: 'block', reason: 'more, please' });
  const stage = await setStage([
    { when: { said: 'LOOP' }, reply: loop },
    { when: { nth: 1 }, reply: [childCall({ prompt: 'LOOP', max_turns: 2 })] },
    { reply: 'End.' },
  ]);
  const session = await stage.open({ hooks });
  await session.send('Delegate.');
  expect(heard).toHaveLength(1);
  expect(stage.sim.requests).toHaveLength(4);
  expect(callResults(stage, 'Agent')[0]).toContain('max_turns');
  const lines = eventsOf(stage, 'line-shown').map(({ line }) => line);
  expect(lines).toEqual([expect.stringMatching(/can't keep .* going, its run has ended \(max_turns\): more, please/)]);
});

it('AG-22 LC-2: an interrupted run has not ended: hooks hear of it when it does', async () => {
  const { heard, hooks } = listener();
  const asked = gate();
  const stage = await setStage([
    { when: { user: '<task-notification>' }, reply: 'Heard.' },
    { when: { said: 'go on' }, reply: 'Done.' },
    {
      when: { said: 'CHILD' },
      reply: () => {
        asked.open();
        return new Promise<string>(() => {});
      },
    },
    { when: { nth: 1 }, reply: [childCall({ name: 'worker' })] },
    { when: { user: 'Write.' }, reply: [{ tool: 'SendMessage', input: { to: 'worker', message: 'go on' } }] },
    { reply: 'On.' },
  ]);
  const session = await stage.open({ hooks });
  const sent = session.send('Delegate.');
  await asked.opened;
  session.interrupt();
  await sent;
  expect(heard).toEqual([]);
  await session.send('Write.');
  await expectSettled(session, stage);
  expect(heard.map(({ reason }) => reason)).toEqual(['completed']);
});

it('AG-22 LC-14: a stop is on record before its hooks have ended; leaving ends them, and the notice waits for them', async () => {
  const command = 'sleep 300.5678';
  const stage = await setStage([
    { when: { user: '<task-notification>' }, reply: 'Heard.' },
    { when: { said: 'CHILD' }, ...hang },
    { when: { nth: 1 }, reply: [childCall({ run_in_background: true })] },
    { reply: 'On.' },
  ]);
  await stage.settings({ hooks: { SubagentStop: [{ hooks: [{ type: 'command', command }] }] } });
  const session = await stage.open();
  await session.send('Delegate.');
  await until(() => stage.sim.requests.some(({ raw }) => raw.includes('CHILD') && !raw.includes('Delegate.')));
  await session.tasks()[0]?.stop('person');
  const [id = ''] = childIds(stage);
  expect(await statesOf(session, id)).toEqual(['running', 'stopped']);
  await until(() => runningWith(command).length > 0, 'the hook runs');
  expect(noticesIn(stage.events)).toEqual([]);
  await session.close();
  expect(runningWith(command)).toEqual([]);
});

it('AG-22 LC-5: the process died after the last words: hooks are asked at the resume, and may keep it going', async () => {
  let asks = 0;
  const stage = await setStage([
    { when: { user: '<task-notification>' }, reply: 'Heard.' },
    { when: { said: 'not yet' }, reply: 'Better now.' },
    { when: { said: 'CHILD' }, reply: 'A first try.' },
    { when: { nth: 1 }, reply: [childCall({})] },
    { reply: 'On.' },
  ]);
  const hook = () => {
    asks += 1;
    return asks === 2 ? { decision: 'block' as const, reason: 'not yet' } : {};
  };
  const hooks: HooksConfig = { SubagentStop: [{ hooks: [hook] }] };
  const session = await stage.open({ hooks });
  await session.send('Delegate.');
  await die(stage, session);
  await cutAfter(session.transcript, 'call-intended');
  const file = await childFile(session);
  await cutAfter(file, 'assistant-replied');
  stage.env.COPPICE_RESUME_AGENTS = 'auto';
  const again = await stage.open({ resume: session.id, hooks });
  await again.send('Go on.');
  await again.settled();
  expect(asks).toBe(3);
  expect(callResults(stage, 'Agent').at(-1)).toMatch(/^Better now\./);
});
