import { expect, it } from 'vitest';
import { RootCalls } from '../../../../src/front/view/root-calls.js';
import type { AgentEvent } from '../../../../src/protocol/events.js';

const spawned = (agent: string, parent: string, call: string) =>
  ({ kind: 'agent-spawned', agent, parent, call }) as AgentEvent;
const continues = (call: string): AgentEvent => ({ kind: 'agent-state-changed', state: 'running', run: 2, call });

it("CL-7: the work of an agent below belongs to the main agent's call, also when another agent continues it", () => {
  const calls = new RootCalls();
  calls.take('child', spawned('child', 'main', 'root'));
  calls.take('grandchild', spawned('grandchild', 'child', 'inner'));
  expect([calls.of('child'), calls.of('grandchild')]).toEqual(['root', 'root']);
  calls.take('child', { kind: 'call-started', call: 'message', tool: 'SendMessage', input: {} });
  calls.take('grandchild', continues('message'));
  expect(calls.of('grandchild')).toBe('root');
  calls.take('child', continues('second'));
  expect([calls.of('child'), calls.of('main')]).toEqual(['second', undefined]);
});
