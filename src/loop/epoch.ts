/**
 * Epochs: stretches in which prefix and history only grow. An epoch is replaced as a whole, at a safe point, and recorded
 * before the first request that uses it.
 */

import type { ModelRequest } from '../model/request.js';
import type { EpochReason } from '../protocol/events.js';
import type { HistoryView } from '../protocol/history.js';
import { epochReason } from '../session/state/agent-state.js';
import type { Agent, Epoch, RequestReference, Switch } from './agent.js';
import type { Run } from './run.js';

/**
 * Call it at a safe point only: between turns, or while no run is under way. While an agent only waits for its children,
 * none of its own calls is being judged, so a change of `mode` is safe then, too. One switch alone can be taken up
 * between two requests of a turn.
 */
export async function applySwitches(agent: Agent, what: 'all' | 'mode' | Switch = 'all'): Promise<void> {
  const ready = (one: Switch) => what === 'all' || what === one || what === one.kind;
  for (let at = agent.switches.findIndex(ready); at >= 0; at = agent.switches.findIndex(ready)) {
    const [next] = agent.switches.splice(at, 1);
    if (next === undefined) return;
    try {
      if (next.kind === 'mode') await agent.emit({ kind: 'mode-changed', mode: next.mode });
      else await replaceEpoch(agent, next.next(agent.epoch));
    } catch (error) {
      // Not recorded, so not in force: try again at the next safe point.
      agent.switches.splice(at, 0, next);
      throw error;
    }
  }
}

async function replaceEpoch(agent: Agent, next: Epoch): Promise<void> {
  if (next.model.id !== agent.epoch.model.id) await leaveThinking(agent, next);
  agent.epoch = next;
}

/** Signed thinking belongs to the model that made it and is never sent to another. */
async function leaveThinking(agent: Agent, { model }: Epoch): Promise<void> {
  const reason = `switched to ${model.id}`;
  await agent.emit({ kind: 'history-mended', reason, message: -1, block: -1, blocks: [] });
}

/** For an agent that was brought back: it may go on with another model than the one that said the last words. */
export async function dropForeignThinking(agent: Agent): Promise<void> {
  const { epoch, state } = agent;
  if (state.epoch !== undefined && state.epoch.model !== epoch.model.id) await leaveThinking(agent, epoch);
}

/** The prefix is on disk before the first request that uses it. */
export async function beginEpoch({ agent, ports }: Run): Promise<void> {
  const reason = whyNew(agent);
  if (reason === undefined) return;
  const { prefix, base } = agent.epoch;
  await ports.keepPrefix(prefix);
  if (base !== undefined) await ports.keepPrefix(base.prefix);
  const more = base === undefined ? {} : { base: recordOf(base) };
  await agent.emit({ kind: 'epoch-started', reason, ...recordOf(agent.epoch), ...more });
}

function recordOf({ prefix, maxTokens }: Epoch) {
  return { prefix: prefix.sha256, model: prefix.model, maxTokens };
}

function whyNew({ state, epoch: { prefix, maxTokens, reason: why } }: Agent): EpochReason | undefined {
  const known = state.epoch;
  if (known !== undefined && known.model !== prefix.model) return 'model-switch';
  const reason = epochReason(state);
  if (reason !== undefined || known === undefined) return reason;
  if (known.prefix === prefix.sha256 && known.maxTokens === maxTokens) return undefined;
  return why ?? 'tools-changed';
}

/** The agent's next request, optionally with another history. */
export function requestOf(agent: Agent, history: HistoryView = agent.state.history.view()): ModelRequest {
  return {
    prefix: agent.epoch.prefix,
    history,
    maxTokens: agent.epoch.maxTokens,
    cacheLifetime: agent.cacheLifetime,
    breakpoints: agent.state.breakpoints,
    sender: { chain: agent.chain, depth: agent.depth },
  };
}

/** The request that the next one should extend: its own last one, or its parent's for a new fork. */
export function referenceOf(agent: Agent): RequestReference | undefined {
  const { accepted, inherited, history } = agent.state;
  // After a switch nothing repeats what was sent before.
  if (accepted !== undefined && whyNew(agent) === undefined)
    return { of: agent.id, request: requestOf(agent, history.view(accepted)) };
  return inherited > 0 ? agent.origin : undefined;
}
