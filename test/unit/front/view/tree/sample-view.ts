/** Agents and commands as in a view, with only the fields a test needs. */

import { type AgentView, blankAgent } from '../../../../../src/front/view/agent-view.js';
import type { ShellView } from '../../../../../src/front/view/session-view.js';
import type { PermissionQuestion } from '../../../../../src/protocol/permission.js';
import { NO_USAGE, type Usage } from '../../../../../src/protocol/usage.js';

export const OPUS = 'claude-opus-5-5';

/** A fork running since 0. */
export function agent(id: string, given: Partial<AgentView> = {}): AgentView {
  return {
    ...blankAgent(id),
    parent: 'main',
    type: 'fork',
    name: id,
    depth: 1,
    status: 'running',
    resumed: false,
    startedAt: 0,
    ...given,
  };
}

export function shell(id: string, given: Partial<ShellView> = {}): ShellView {
  const command = { call: 'toolu_1', command: 'npm run dev', output: '/tmp/out' };
  return { id, owner: 'main', ...command, status: 'running', startedAt: 0, endedAt: undefined, ...given };
}

export function viewOf(agents: readonly AgentView[], shells: readonly ShellView[] = []) {
  return {
    agents: new Map([blankAgent('main'), ...agents].map((one) => [one.id, one])),
    shells: new Map(shells.map((one) => [one.id, one])),
  };
}

/** Usage, all by one model. */
export function used(usage: Partial<Usage>): Pick<AgentView, 'usage' | 'usageByModel'> {
  const all = { ...NO_USAGE, ...usage };
  return { usage: all, usageByModel: new Map([[OPUS, all]]) };
}

export function running(tool: string, input: unknown, startedAt: number): Pick<AgentView, 'calls'> {
  return { calls: [{ id: 'toolu_9', tool, input, startedAt }] };
}

export function asking(who: string, command: string): Pick<AgentView, 'questions'> {
  const call = { id: `toolu_${who}`, tool: 'Bash', input: { command } };
  const question = {
    id: `q_${who}`,
    agent: { id: who, type: 'fork', depth: 1 },
    call,
    cwd: '/project',
    reason: 'it writes',
    destroys: [],
    offers: [],
  } as unknown as PermissionQuestion;
  return { questions: [{ call: call.id, tool: 'Bash', question }] };
}
