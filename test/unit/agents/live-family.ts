/** Live agents without a session around them: a main agent and what hangs below it, their records in memory. */

import { LiveAgent } from '../../../src/agents/live-agent.js';
import { TurnOverrides } from '../../../src/agents/skills/turn-overrides.js';
import { sessionLayout } from '../../../src/config/paths.js';
import { createHooks } from '../../../src/gate/hooks/hooks.js';
import type { Host } from '../../../src/host/host.js';
import { nodeHost } from '../../../src/host/node-host.js';
import type { Epoch } from '../../../src/loop/agent.js';
import { Budget } from '../../../src/loop/budget.js';
import { freezePrefix } from '../../../src/model/anthropic/prefix.js';
import { modelData } from '../../../src/model/models.js';
import { type AgentSpawned, MAIN_AGENT, type SessionEvent } from '../../../src/protocol/events.js';
import { Listeners } from '../../../src/session/emit.js';
import type { AgentState } from '../../../src/session/state/agent-state.js';
import { scratchFolder } from '../../support/scratch.js';
import { MemoryLog } from '../session/memory-log.js';
import { spawned } from '../session/spawned.js';

export type Member = { readonly agent: LiveAgent; readonly log: MemoryLog };

export type Family = Member & {
  readonly heard: SessionEvent[];
  add(parent: LiveAgent, record?: Partial<AgentSpawned>, state?: AgentState): Member;
};

const EPOCH: Epoch = {
  model: modelData('claude-opus-5-5'),
  tools: [],
  maxTokens: 1_000,
  prefix: freezePrefix({ model: 'claude-opus-5-5', thinking: { kind: 'adaptive' }, tools: [], system: ['x'] }),
};

export async function openFamily(budget = new Budget()): Promise<Family> {
  const folder = await scratchFolder();
  const host = nodeHost(folder);
  const heard: SessionEvent[] = [];
  const layout = sessionLayout(folder, 'p', 's');
  const listeners = new Listeners();
  listeners.add((event) => heard.push(event));
  const shared = {
    host,
    layout,
    listeners,
    budget,
    roots: [folder],
    worktree: undefined,
    turns: new TurnOverrides(),
    cacheLifetime: '5m' as const,
  };
  let count = 0;
  const make = (parent: LiveAgent | undefined, record: AgentSpawned, state?: AgentState): Member => {
    const log = new MemoryLog();
    const start = { record, parent, epoch: EPOCH, host, hooks: () => noHooks(host), ...(state ? { state } : {}) };
    return { agent: new LiveAgent(shared, start, log), log };
  };
  const main = make(undefined, { ...spawned(MAIN_AGENT), depth: 0, background: false });
  return {
    ...main,
    heard,
    add: (parent, record = {}, state) => {
      count += 1;
      const own = { background: false, depth: parent.depth + 1, parent: parent.id, ...record };
      return make(parent, { ...spawned(`a${count}`), ...own }, state);
    },
  };
}

function noHooks(host: Host) {
  return createHooks({
    host,
    projectDir: host.folder,
    sources: [],
    base: () => ({ session_id: 's', transcript_path: '/s.jsonl', cwd: host.folder, permission_mode: 'default' }),
    warn: () => {},
  });
}
