/** Starts a child. Named children and forks differ only in their plan. */

import { childBudget } from '../../loop/budget.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Result } from '../../protocol/result.js';
import { planFork } from '../fork/fork.js';
import type { LiveAgent } from '../live-agent.js';
import { runChild } from '../run/run-child.js';
import type { Runtime } from '../runtime.js';
import { type ChildLocation, locateChild } from '../worktrees/locate-child.js';
import { childPath } from './agent-path.js';
import { claimName } from './claim-name.js';
import type { Plan, SpawnRequest } from './plan.js';
import { planNamed } from './plan-named.js';

/** If it fails, nothing was started; the reason is for the model. */
export type Spawned = Result<{ readonly agent: LiveAgent }>;

export async function spawn(runtime: Runtime, request: SpawnRequest): Promise<Spawned> {
  const claimed = claimName(runtime, request.name, request.description);
  if (!claimed.ok) return claimed;
  try {
    const maxTurns = Math.min(request.maxTurns ?? Number.POSITIVE_INFINITY, runtime.settings.maxTurns);
    return await spawnClaimed(runtime, { ...request, maxTurns });
  } finally {
    claimed.release();
  }
}

async function spawnClaimed(runtime: Runtime, request: SpawnRequest): Promise<Spawned> {
  const announced = runtime.slots.announce();
  if (announced === undefined) {
    const reason = `Nothing was started: ${runtime.slots.queued} agents wait already. Wait for some of them to end.`;
    return { ok: false, reason };
  }
  try {
    const { kind } = request;
    const plan =
      'fork' in kind ? planFork(runtime, request, kind.fork) : await planNamed(runtime, request, kind.definition);
    return plan.ok ? await startOrRest(runtime, request, plan, announced.number) : plan;
  } finally {
    announced.release();
  }
}

/** Stops its own servers if it does not start. */
async function startOrRest(...given: Parameters<typeof start>): Promise<Spawned> {
  const [, , plan] = given;
  let spawned: Spawned | undefined;
  try {
    spawned = await start(...given);
    return spawned;
  } finally {
    if (spawned?.ok !== true) await plan.start.servers?.rest();
  }
}

async function start(
  runtime: Runtime,
  request: SpawnRequest,
  plan: Extract<Plan, { ok: true }>,
  number: number,
): Promise<Spawned> {
  const { parent } = request;
  const { model, maxTokens } = plan.start.epoch;
  const budget = childBudget(parent.budget, plan.start.record.maxUsd);
  const unpriced = budget.refusesModel(model);
  if (unpriced !== undefined) return { ok: false, reason: `No agent was started: ${unpriced}` };
  const refused = budget.refuses(model, 0, maxTokens);
  if (refused !== undefined) {
    return { ok: false, reason: `No agent was started: the session's budget is used up (${refused}).` };
  }
  if (isOver(runtime, request)) return INTERRUPTED;
  const placed = await locateChild(runtime, request, plan.start);
  if (!placed.ok) return isOver(runtime, request) ? INTERRUPTED : notStarted(placed.reason);
  if (isOver(runtime, request)) {
    await placed.release();
    return INTERRUPTED;
  }
  const agent = await open(runtime, parent, placed);
  runtime.agents.set(agent.id, agent);
  if (request.grant !== undefined) runtime.turns.grant(agent.id, request.grant);
  agent.lendSlot();
  if (request.background) agent.output.openFile();
  else agent.follow(request.signal);
  try {
    await agent.emit(agent.record);
    await plan.introduce(agent, placed.made);
  } catch (error) {
    const reason = reasonOf(error);
    await giveUp(runtime, agent, reason);
    await placed.release();
    return notStarted(reason);
  }
  for (const line of placed.made?.notes ?? []) await agent.emit({ kind: 'line-shown', level: 'warning', line });
  runtime.names.add(agent.record);
  agent.done = runChild(runtime, agent, { beforeFirst: plan.beforeFirst, number });
  return { ok: true, agent };
}

function isOver({ isClosing }: Runtime, { signal }: SpawnRequest): boolean {
  return isClosing || signal.aborted;
}

function notStarted(reason: string): Spawned {
  return { ok: false, reason: `Nothing was started: ${reason}` };
}

const INTERRUPTED = notStarted('the call was interrupted before that.');

type PlacedChild = Extract<ChildLocation, { ok: true }>;

async function open(runtime: Runtime, parent: LiveAgent, { start, release }: PlacedChild): Promise<LiveAgent> {
  const record = { ...start.record, chain: childPath(parent.chain, start.record.agent) };
  try {
    return await runtime.runner.open(runtime, { ...start, record });
  } catch (error) {
    await release();
    throw error;
  }
}

/** A child that can't be recorded neither runs nor appears in lists. */
async function giveUp(runtime: Runtime, agent: LiveAgent, reason: string): Promise<void> {
  agent.fail();
  agent.unfollow();
  runtime.agents.delete(agent.id);
  // Listeners may already know it and must forget it.
  await agent.emit({ kind: 'agent-dropped', reason });
  await agent.output.close();
  await agent.log.close().catch(() => {});
}
