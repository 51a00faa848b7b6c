/**
 * A child's run with its turns and the waits between them: for its own children, or for the user who has taken it over.
 */

import { eitherSignal, newAbort } from '../../host/clock.js';
import type { RunEnd } from '../../loop/run-loop.js';
import { hooksAtStop } from '../../loop/stop-hooks.js';
import { text } from '../../protocol/blocks.js';
import type { RunEndReason } from '../../protocol/events.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';
import { watchStall } from './watch-stall.js';

export type WatchedRun = {
  /** Its final text, if the process died after it: no further request is made unless input arrives. */
  readonly over?: string;
  /** Its children that are still being resumed. */
  readonly coming?: () => readonly Promise<unknown>[];
};

export type ChildEnd = Omit<RunEnd, 'reason'> & { readonly reason: RunEndReason | 'stalled' };

export async function runWatched(runtime: Runtime, agent: LiveAgent, { over, coming }: WatchedRun): Promise<ChildEnd> {
  const stall = watchStall(runtime, agent);
  const open = () => openChildren(runtime, agent, coming);
  const waits = () => !runtime.settings.interactive && open().length > 0;
  // A notice or a message from the user that arrives just as its turn ends must still reach it.
  agent.inbox.keepOpen = () => agent.isTakenOver || waits();
  try {
    let end = over === undefined ? await runTurns(runtime, agent) : await continueAfter(runtime, agent, over);
    let next = await whatFollows(runtime, agent, end, open);
    while (next === 'turns') {
      const later = await runTurns(runtime, agent);
      // The input to answer may have been withdrawn.
      if (later.turns > 0 || later.reason !== 'completed') end = later;
      next = await whatFollows(runtime, agent, end, open);
    }
    if (next === 'cut-off') end = { ...end, reason: 'interrupted', hooksAsked: false };
    return stall.stalled() ? stalledEnd(end, runtime.settings.stallMs) : end;
  } finally {
    agent.inbox.keepOpen = () => false;
    stall.end();
  }
}

function runTurns(runtime: Runtime, agent: LiveAgent): Promise<RunEnd> {
  return runtime.runner.run(runtime, agent, signalOf(agent));
}

/** Aborts with the run, or with the turn. */
function signalOf({ abort, turn }: LiveAgent): AbortSignal {
  return eitherSignal(abort.signal, turn.signal);
}

/** `over`: the run has ended like its turns. `cut-off`: it was ended while it waited. */
type Next = 'turns' | 'over' | 'cut-off';

async function whatFollows(
  runtime: Runtime,
  agent: LiveAgent,
  end: RunEnd,
  open: () => readonly Promise<unknown>[],
): Promise<Next> {
  const { abort, turn, inbox } = agent;
  if (abort.signal.aborted) return 'over';
  if (agent.isTakenOver) return waitForPerson(runtime, agent);
  if (turn.signal.aborted) {
    if (!inbox.hasUserMessage) return 'over';
    // The user ended its turn so that it reads these messages now.
    agent.turn = newAbort();
    return 'turns';
  }
  if (end.reason !== 'completed' || runtime.settings.interactive) return 'over';
  const isWoken = await waitForOwnChildren(runtime, agent, open);
  if (signalOf(agent).aborted) return agent.isTakenOver ? whatFollows(runtime, agent, end, open) : 'cut-off';
  if (isWoken) return 'turns';
  return agent.isTakenOver ? waitForPerson(runtime, agent) : 'over';
}

/** Waits without a slot for the user's next message until the child is handed back. */
async function waitForPerson(runtime: Runtime, agent: LiveAgent): Promise<Next> {
  const { inbox } = agent;
  const { signal } = agent.abort;
  inbox.open();
  await agent.changeStatus('waiting');
  agent.slot?.release();
  agent.slot = undefined;
  while (agent.isTakenOver && !inbox.hasUserMessage && !signal.aborted) {
    const received = new AbortController();
    const handedBack = new Promise<void>((resolve) => {
      agent.onHandBack = resolve;
    });
    await Promise.race([inbox.userMessage(AbortSignal.any([received.signal, signal])), handedBack]);
    received.abort();
  }
  if (!signal.aborted) await agent.retakeSlot(runtime.slots);
  if (signal.aborted) return 'cut-off';
  // Its turn was already ended, or there was none.
  if (agent.turn.signal.aborted) agent.turn = newAbort();
  await agent.changeStatus('running');
  return (await inbox.closeOnceLanded()) && !agent.isTakenOver ? 'over' : 'turns';
}

/** Its background children that have not ended, including their notices and those of earlier runs. */
function openChildren(runtime: Runtime, agent: LiveAgent, coming: WatchedRun['coming'] = () => []): Promise<unknown>[] {
  const live = [...runtime.agents.values()].flatMap((one) =>
    one.parent?.id === agent.id && one.background && one.finishing !== undefined ? [one.finishing] : [],
  );
  return [...coming(), ...live];
}

/**
 * Continues after its final text, if the process died there. Unless the end is recorded, the stop hooks have not run
 * yet.
 */
async function continueAfter(runtime: Runtime, agent: LiveAgent, over: string): Promise<RunEnd> {
  const { state, inbox } = agent;
  const signal = signalOf(agent);
  const end = { reason: 'completed', text: over, turns: 0, usage: state.usage, hooksAsked: true } as const;
  if (state.runEnd !== undefined || state.runs.get(agent.run)?.result !== undefined) return end;
  const { stop, keepGoing } = await hooksAtStop({ agent, signal }, over, false);
  if (stop !== undefined) return { ...end, reason: 'hook_stopped', line: stop };
  if (keepGoing === undefined) return end;
  await inbox.admit({ origin: 'hook', key: `hook after ${state.lastSeq}` }, [text(keepGoing)]);
  return runTurns(runtime, agent);
}

/**
 * In sessions without a user, an agent waits for its background children before it ends. Returns whether input arrived
 * that needs an answer.
 */
async function waitForOwnChildren(
  runtime: Runtime,
  agent: LiveAgent,
  open: () => readonly Promise<unknown>[],
): Promise<boolean> {
  const { inbox } = agent;
  const signal = signalOf(agent);
  if (open().length === 0) return !(await inbox.closeOnceLanded());
  inbox.open();
  await agent.changeStatus('waiting');
  agent.slot?.release();
  agent.slot = undefined;
  for (let left = open(); left.length > 0 && !inbox.asks && !signal.aborted; left = open()) {
    const received = new AbortController();
    const either = AbortSignal.any([received.signal, signal]);
    await Promise.race([inbox.arrival(either), Promise.all(left)]);
    received.abort();
  }
  if (!signal.aborted) await agent.retakeSlot(runtime.slots);
  if (!signal.aborted) await agent.changeStatus('running');
  return !(await inbox.closeOnceLanded());
}

function stalledEnd(end: RunEnd, stallMs: number): ChildEnd {
  const time = stallMs < 60_000 ? `${stallMs / 1000} seconds` : `${Math.round(stallMs / 60_000)} minutes`;
  return { ...end, reason: 'stalled', line: `nothing came from the model for ${time}` };
}
