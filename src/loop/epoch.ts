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
 * Applies pending switches. Call it only at a safe point: between turns, or while no run is in progress. A change of
 * `mode` is also safe while an agent only waits for its children, because none of its own calls is being judged. A
 * single switch can be applied between two requests of a turn.
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
      // Not recorded, so not in effect: try again at the next safe point.
      agent.switches.splice(at, 0, next);
      throw error;
    }
  }
}

async function replaceEpoch(agent: Agent, next: Epoch): Promise<void> {
  if (next.model.id !== agent.epoch.model.id) await leaveThinking(agent, next);
  agent.epoch = next;
}

/** Drops signed thinking before a model switch: it is only valid for the model that produced it. */
async function leaveThinking(agent: Agent, { model }: Epoch): Promise<void> {
  const reason = `switched to ${model.id}`;
  await agent.emit({ kind: 'history-mended', reason, message: -1, block: -1, blocks: [] });
}

/** For a resumed agent, which may continue on a different model than the one that wrote its last reply. */
export async function dropForeignThinking(agent: Agent): Promise<void> {
  const { epoch, state } = agent;
  if (state.epoch !== undefined && state.epoch.model !== epoch.model.id) await leaveThinking(agent, epoch);
}

/** Stores the prefix before the first request that uses it. */
export async function beginEpoch({ agent, ports }: Run): Promise<void> {
  const reason = whyNew(agent);
  if (reason === undefined) return;
  const { prefix, base } = agent.epoch;
  await ports.savePrefix(prefix);
  if (base !== undefined) await ports.savePrefix(base.prefix);
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

/** Builds the agent's next request, optionally with another history. */
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

/** The request that the next one should extend: the agent's last one, or for a new fork its parent's. */
export function referenceOf(agent: Agent): RequestReference | undefined {
  const { accepted, inherited, history } = agent.state;
  // After a switch, nothing repeats earlier requests.
  if (accepted !== undefined && whyNew(agent) === undefined)
    return { of: agent.id, request: requestOf(agent, history.view(accepted)) };
  return inherited > 0 ? agent.origin : undefined;
}
