/** An agent as the gate sees it, always up to date. */

import type { Requester } from '../gate/requester.js';
import type { Agent } from '../loop/agent.js';
import type { AgentSpawned, AgentWorktree } from '../protocol/events.js';
import type { PermissionMode } from '../protocol/permission.js';
import type { TurnOverrides } from './skills/turn-overrides.js';

type Asking = Pick<Agent, 'id' | 'type' | 'depth' | 'emit' | 'epoch' | 'host' | 'hooks' | 'roots' | 'shell'> & {
  readonly record: Pick<AgentSpawned, 'readOnly' | 'limits' | 'name' | 'description' | 'memory' | 'worktree'>;
  readonly isFork: boolean;
  /** Read at the time of each call. */
  readonly mode: PermissionMode;
};

/** The part of the runtime that a requester needs. */
export type SharedByRequesters = {
  /** The worktree of the whole session. */
  readonly worktree: AgentWorktree | undefined;
  readonly turns: TurnOverrides;
};

export function requesterOf(agent: Asking, shared: SharedByRequesters): Requester {
  const { record, host, hooks, roots } = agent;
  return {
    id: agent.id,
    type: agent.type,
    depth: agent.depth,
    name: record.name,
    task: agent.depth === 0 ? undefined : record.description,
    readOnly: record.readOnly,
    limits: record.limits,
    worktree: record.worktree ?? shared.worktree,
    memory: record.memory,
    isMain: agent.depth === 0,
    bubbles: agent.isFork,
    roots,
    folder: host.folder,
    files: host.files.sync,
    hooks,
    get canEdit() {
      return agent.epoch.tools.some(({ name }) => name === 'Edit' || name === 'Write');
    },
    get mode() {
      return agent.mode;
    },
    get grants() {
      return shared.turns.grantsOf(agent.id);
    },
    get cwd() {
      return agent.shell.cwd;
    },
    notify: (event) => agent.emit(event),
  };
}
