/** The loop: join what was admitted, ask the model, run its calls, and repeat until it is done. One loop for all agents. */

import { text } from '../protocol/blocks.js';
import type { RunEndReason } from '../protocol/events.js';
import { callsIn, freezeBlock, toolNameOf } from '../protocol/frozen-block.js';
import type { Usage } from '../protocol/usage.js';
import { resultsByCall } from '../session/state/agent-state.js';
import type { Agent } from './agent.js';
import { compactIfNeeded } from './compact/compact.js';
import { leaveOutOversized } from './compact/leave-out.js';
import { takeUpSwitches } from './epoch.js';
import { RequiredOutput } from './required-output.js';
import type { Run } from './run.js';
import { runCalls } from './run-calls.js';
import { runTurn } from './run-turn.js';
import { hooksAtStop } from './stop-hooks.js';

export type RunEnd = {
  readonly reason: RunEndReason;
  /** The text of the last reply. */
  readonly text: string;
  /** With an output schema: the value, and `text` is its JSON. */
  readonly structured?: unknown;
  /** What went wrong, for a person. */
  readonly line?: string;
  readonly turns: number;
  readonly usage: Usage;
  /** Hooks were asked at this end: it was theirs to prevent. */
  readonly hooksAsked?: boolean;
};

type Structured = { readonly value: unknown } | undefined;

/** How often in a row a hook may keep an agent from stopping. */
const MAX_KEEP_GOING = 8;
/** How often in a row a reply that hit the output limit is asked to go on. */
const MAX_CONTINUED = 3;
/** How often in a row the model may pause its turn. */
const MAX_PAUSED = 10;

export async function runLoop(run: Run): Promise<RunEnd> {
  const { agent, ports, signal } = run;
  let lastText = '';
  /** The whole text of the last reply: parts of one that was cut off or paused belong together. */
  let conclusion = '';
  let turns = 0;
  let keptGoing = 0;
  let continued = 0;
  let paused = 0;
  /** It goes on by itself, whatever waits for it. */
  let goesOn = false;
  const output = new RequiredOutput();
  const end = (reason: RunEndReason, line?: string, structured?: Structured) =>
    endRun(
      run,
      signal.aborted
        ? { reason: 'interrupted', text: lastText, turns }
        : { reason, text: lastText, turns, line, structured },
    );

  await closeOpenCalls(agent);
  for (;;) {
    // The safe point: every call has its result, and nothing is under way.
    await takeUpSwitches(agent);
    await ports.tellMode?.(agent);
    const slow = ports.clientsReady?.(signal);
    if (slow !== undefined) await slow;
    if (ports.pace !== undefined && turns < agent.maxTurns) await ports.pace.beforeTurn(agent.id, signal);
    if (!goesOn && !isAsked(agent)) return end('completed');
    goesOn = false;
    // What no request will carry stays in the inbox: for the next run, or for the agent above.
    await joinMessage(agent, signal.aborted || turns >= agent.maxTurns ? 'results' : 'all');
    if (signal.aborted) return end('interrupted');
    if (turns >= agent.maxTurns) return end('max_turns', `stopped after ${turns} turns, the limit of this run`);
    const tooLarge = await leaveOutOversized(run);
    if (tooLarge !== undefined) return end(tooLarge.reason, tooLarge.line);
    const compacted = await compactIfNeeded(run);
    if (compacted.kind === 'interrupted') return end('interrupted');
    if (compacted.kind === 'failed') return end(compacted.reason, compacted.line);

    turns += 1;
    const turn = await runTurn(run, turns);
    if (turn.kind === 'interrupted') return end('interrupted');
    if (turn.kind === 'failed') return end(turn.reason, turn.line);
    if (turn.text !== '') lastText = turn.text;
    if (continued > 0 || paused > 0) conclusion += turn.text;
    else if (turn.text !== '' || keptGoing === 0) conclusion = turn.text;

    if (turn.calls.length > 0) {
      const { stop, conclusion: result, structured, missed } = await runCalls(run, turn.calls);
      if (structured === undefined) keptGoing = 0;
      continued = 0;
      paused = 0;
      output.missed(missed);
      if (stop === undefined && result === undefined && !output.isGivenUp) continue;
      await joinMessage(agent, 'results');
      if (stop !== undefined) return end('hook_stopped', stop);
      if (result === undefined) return end('no_structured_output', output.line);
      if (structured !== undefined && !signal.aborted) {
        const objection = await hooksAtStop(run, result, keptGoing > 0);
        if (objection.stop !== undefined) return end('hook_stopped', objection.stop);
        if (objection.keepGoing !== undefined && keptGoing < MAX_KEEP_GOING) {
          keptGoing += 1;
          await remind(agent, objection.keepGoing, 'hook');
          goesOn = true;
          continue;
        }
      }
      lastText = result;
      return end('completed', undefined, structured);
    }
    if (turn.stop === 'pause_turn' && paused < MAX_PAUSED) {
      paused += 1;
      await agent.emit({ kind: 'fault-met', fault: 'pause-turn', line: 'the model paused its turn; it goes on' });
      goesOn = true;
      continue;
    }
    if (turn.stop === 'max_tokens' && continued < MAX_CONTINUED) {
      continued += 1;
      await remind(agent, 'Your reply was cut off at the output limit. Go on exactly where it stopped.');
      goesOn = true;
      continue;
    }
    continued = 0;
    paused = 0;
    if (ports.pace !== undefined) await ports.pace.beforeEnd(agent.id, signal);
    if (agent.inbox.asks) continue;
    const reminder = output.remind(agent);
    if (reminder !== undefined) {
      if (output.isGivenUp) return end('no_structured_output', output.line);
      await remind(agent, reminder);
      goesOn = true;
      continue;
    }
    const objection = await hooksAtStop(run, conclusion, keptGoing > 0);
    if (objection.stop !== undefined) return { ...(await end('hook_stopped', objection.stop)), hooksAsked: true };
    if (objection.keepGoing !== undefined && keptGoing < MAX_KEEP_GOING) {
      keptGoing += 1;
      await remind(agent, objection.keepGoing, 'hook');
      goesOn = true;
      continue;
    }
    // A child's run ends by closing its inbox; input that came just now is still handled.
    if (agent.depth > 0 && !(await agent.inbox.closeOnceLanded())) continue;
    lastText = conclusion;
    return { ...(await end('completed')), hooksAsked: true };
  }
}

async function endRun(
  { agent }: Run,
  end: { reason: RunEndReason; text: string; turns: number; line?: string | undefined; structured?: Structured },
): Promise<RunEnd> {
  const line = end.line === undefined ? {} : { line: end.line };
  const recorded = end.structured === undefined ? {} : { structured: end.structured };
  const structured = end.structured === undefined ? {} : { structured: end.structured.value };
  await agent.emit({ kind: 'run-ended', reason: end.reason, ...line, ...recorded, usage: agent.state.usage });
  return { reason: end.reason, text: end.text, turns: end.turns, usage: agent.state.usage, ...line, ...structured };
}

async function remind(agent: Agent, words: string, origin: 'reminder' | 'hook' = 'reminder'): Promise<void> {
  const key = `${origin} after ${agent.state.lastSeq}`;
  await agent.emit({ kind: 'input-admitted', origin, key, blocks: [freezeBlock(text(words))] });
}

/** The next user message: results in the order of their calls, then admitted input. `results`: without the input. */
export async function joinMessage(agent: Agent, what: 'all' | 'results' = 'all'): Promise<void> {
  const { state } = agent;
  const results = resultsByCall(state);
  // A fork's last message may have many calls, all of them its parent's.
  const from = results.size === 0 ? [] : openCalls(agent).flatMap((call) => results.get(call)?.seq ?? []);
  const join = async (inputs: readonly number[]) => {
    from.push(...inputs);
    if (from.length > 0) await agent.emit({ kind: 'message-joined', from });
  };
  await (what === 'all' ? agent.inbox.read(join) : join([]));
}

/** Whether there is something to answer. The person may have taken back what a run was begun for. */
function isAsked(agent: Agent): boolean {
  const { state, inbox } = agent;
  if (inbox.asks || state.results.size > 0 || state.lastStop === 'pause_turn') return true;
  // A child that was cut off goes on by a reminder.
  if (agent.depth > 0 && state.pending.some(({ origin }) => origin === 'reminder')) return true;
  const last = state.history.at(state.history.length - 1);
  return last?.role === 'user' || openCalls(agent).length > 0;
}

/**
 * Gives every open call of the last reply a result, so that the conversation can continue, for example after a result
 * could not be saved. Earlier bytes stay as they are, and the model learns that something may have happened.
 */
export async function closeOpenCalls(agent: Agent): Promise<void> {
  if (agent.inbox.closesCalls) return;
  const results = resultsByCall(agent.state);
  for (const call of openCalls(agent)) {
    if (results.has(call)) continue;
    const block = freezeBlock({
      type: 'tool_result',
      tool_use_id: call,
      content: [text('Interrupted: whether it ran, and what it did, is unknown. Look before you do it again.')],
      is_error: true,
    });
    const tool = toolOf(agent, call);
    await agent.emit({ kind: 'call-finished', call, tool, isError: true, effects: true, ms: 0, blocks: [block] });
  }
}

/** The calls of the last reply, if it is the last message. */
function openCalls({ state: { history } }: Agent): string[] {
  const last = history.at(history.length - 1);
  return last?.role === 'assistant' ? callsIn([last]) : [];
}

function toolOf({ state: { history } }: Agent, call: string): string {
  const last = history.at(history.length - 1);
  const block = last?.blocks.find(
    (one) => one.type === 'tool_use' && callsIn([{ role: 'assistant', blocks: [one] }])[0] === call,
  );
  return block === undefined ? '' : toolNameOf(block);
}
