/** SubagentStart hooks run inside the child's own run: nobody waits for them but the child, and its abort ends them. */

import { expect, it } from 'vitest';
import { gate } from '../../support/gate.js';
import { runningWith } from '../../support/processes.js';
import { agentTranscript } from '../../support/session-files.js';
import { eventsOf, expectAllAccepted, readTranscript, setStage } from '../../support/story.js';
import { turns, until } from '../../support/until.js';
import {
  callResults,
  childCall,
  childIds,
  expectSettled,
  noticesIn,
  statesOf,
} from '../background/background-stage.js';
import { requestOf, saidIn } from './agents-script.js';

const context = (additionalContext: string) => ({
  hookSpecificOutput: { hookEventName: 'SubagentStart' as const, additionalContext },
});

const DELEGATES = [
  { when: { user: '<task-notification>' }, reply: 'Heard.' },
  { when: { said: 'CHILD' }, reply: 'Done.' },
];

it('LC-2: an abort of the turn ends a running SubagentStart hook with its processes; the child is interrupted', async () => {
  const command = 'sleep 300.1234';
  const stage = await setStage([...DELEGATES, { when: { nth: 1 }, reply: [childCall({})] }, { reply: 'End.' }]);
  await stage.settings({ hooks: { SubagentStart: [{ hooks: [{ type: 'command', command }] }] } });
  const session = await stage.open();
  const sent = session.send('Delegate.');
  await until(() => runningWith(command).length > 0, 'the hook runs');
  session.interrupt();
  expect(await sent).toMatchObject({ reason: 'interrupted' });
  expect(runningWith(command)).toEqual([]);
  expect(await statesOf(session, childIds(stage)[0] ?? '')).toEqual(['running', 'interrupted']);
  expect(stage.sim.requests).toHaveLength(1);
});

it('LC-6: leaving ends a running SubagentStart hook; nothing is written afterwards', async () => {
  const command = 'sleep 300.4321';
  const entered = gate();
  const ignored = gate();
  const stage = await setStage([
    ...DELEGATES,
    { when: { nth: 1 }, reply: [childCall({ run_in_background: true })] },
    { reply: 'End.' },
  ]);
  await stage.settings({ hooks: { SubagentStart: [{ hooks: [{ type: 'command', command }] }] } });
  const deaf = async () => {
    entered.open();
    await ignored.opened;
    return context('too late');
  };
  const session = await stage.open({ hooks: { SubagentStart: [{ hooks: [deaf] }] } });
  await session.send('Delegate.');
  await entered.opened;
  await until(() => runningWith(command).length > 0, 'the hook runs');
  await session.close();
  expect(runningWith(command)).toEqual([]);
  const transcript = agentTranscript(session, childIds(stage)[0] ?? '');
  const records = await readTranscript(transcript);
  expect(records.at(-1)?.event).toMatchObject({ kind: 'agent-state-changed', state: 'interrupted' });
  const heard = stage.events.length;
  ignored.open();
  await turns(20);
  expect(stage.events).toHaveLength(heard);
  expect(await readTranscript(transcript)).toHaveLength(records.length);
});

it('LC-5: a call in the background returns at once, whatever its SubagentStart hook does', async () => {
  const held = gate();
  const stage = await setStage([
    ...DELEGATES,
    { when: { nth: 1 }, reply: [childCall({ run_in_background: true })] },
    {
      // The parent continues only if the call did not wait for the hook.
      reply: () => {
        held.open();
        return 'On.';
      },
    },
  ]);
  const slow = async () => {
    await held.opened;
    return context('CONTEXT of the hook');
  };
  const session = await stage.open({ hooks: { SubagentStart: [{ hooks: [slow] }] } });
  await session.send('Delegate.');
  await expectSettled(session, stage);
  expectAllAccepted(stage.sim);
  expect(callResults(stage, 'Agent')[0]).toContain('Started in the background');
  expect(saidIn(requestOf(stage.sim, 'CHILD'))).toContain('CONTEXT of the hook');
  expect(noticesIn(stage.events)).toHaveLength(1);
});

it('AG-22: SubagentStart runs for a fork too, and adds to its input', async () => {
  const types: string[] = [];
  const stage = await setStage([
    { when: { said: 'You are a forked worker' }, reply: 'Scope: done' },
    { when: { nth: 1 }, reply: [childCall({ fork: true, prompt: 'DIRECTIVE' })] },
    { reply: 'On.' },
  ]);
  const hook = ({ agent_type }: { readonly agent_type?: string }) => {
    types.push(agent_type ?? 'nobody');
    return context('CONTEXT for the fork');
  };
  const session = await stage.open({ fork: 'on', hooks: { SubagentStart: [{ hooks: [hook] }] } });
  await session.send('Delegate.');
  await session.fork('DIRECTIVE by hand');
  expectAllAccepted(stage.sim);
  expect(types).toEqual(['fork', 'fork']);
  const forks = stage.sim.requests.map(saidIn).filter((said) => said.includes('You are a forked worker'));
  expect(forks).toHaveLength(2);
  for (const said of forks) expect(said.split('CONTEXT for the fork')).toHaveLength(2);
  expect(saidIn(stage.sim.requests.at(-2) as never)).not.toContain('CONTEXT');
});

it('AG-22 LC-2: one that was interrupted in its SubagentStart hook has the hook again when it continues, later runs not', async () => {
  let ran = 0;
  const entered = gate();
  const stage = await setStage([
    ...DELEGATES,
    { when: { nth: 1 }, reply: [childCall({ name: 'worker' })] },
    { when: { user: /write to it/ }, reply: [{ tool: 'SendMessage', input: { to: 'worker', message: 'go on' } }] },
    { reply: 'On.' },
  ]);
  const hook = async (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
    ran += 1;
    if (ran > 1) return context(`CONTEXT ${ran}`);
    entered.open();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    return context('CONTEXT of an aborted hook');
  };
  const session = await stage.open({ hooks: { SubagentStart: [{ hooks: [hook] }] } });
  const sent = session.send('Delegate.');
  await entered.opened;
  session.interrupt();
  await sent;
  await session.send('Please write to it.');
  await expectSettled(session, stage);
  await session.send('Please write to it again.');
  await expectSettled(session, stage);
  expectAllAccepted(stage.sim);
  expect(ran).toBe(2);
  const said = saidIn(requestOf(stage.sim, 'CHILD'));
  expect(said).toContain('CONTEXT 2');
  expect(said).not.toContain('aborted hook');
  expect(eventsOf(stage, 'agent-spawned')).toHaveLength(1);
});
