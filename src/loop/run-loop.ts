/** The loop: join what was admitted, ask the model, run its calls, and repeat until it is done. One loop for all agents. */

import { text } from '../protocol/blocks.js';
import type { RunEndReason } from '../protocol/events.js';
import { freezeBlock } from '../protocol/frozen-block.js';
import type { Usage } from '../protocol/usage.js';
import type { Agent } from './agent.js';
import { compactIfNeeded } from './compact/compact.js';
import { leaveOutOversized } from './compact/leave-out.js';
import { applySwitches } from './epoch.js';
import { closeOpenCalls, joinMessage, openCalls } from './join-message.js';
import { RequiredOutput } from './required-output.js';
import type { Call, Run } from './run.js';
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

/** Why a run ends. `hooksAsked`: as in `RunEnd`. */
type Ending = {
  readonly reason: RunEndReason;
  readonly line?: string | undefined;
  readonly structured?: { readonly value: unknown } | undefined;
  readonly hooksAsked?: boolean;
};

/** What one run knows from turn to turn. */
type Progress = {
  turns: number;
  /** The text of the last reply that had one. */
  lastText: string;
  /** The whole text of the last reply: parts of one that was cut off or paused belong together. */
  conclusion: string;
  /** In a row: how often a hook kept it going, a reply was cut off, the model paused. */
  keptGoing: number;
  continued: number;
  paused: number;
  /** It takes another turn, whether or not anything waits for an answer. */
  goesOn: boolean;
  readonly output: RequiredOutput;
};

/** How often in a row a hook may keep an agent from stopping. */
const MAX_KEEP_GOING = 8;
/** How often in a row a reply that hit the output limit is asked to go on. */
const MAX_CONTINUED = 3;
/** How often in a row the model may pause its turn. */
const MAX_PAUSED = 10;

const INTERRUPTED: Ending = { reason: 'interrupted' };

export async function runLoop(run: Run): Promise<RunEnd> {
  const progress: Progress = {
    turns: 0,
    lastText: '',
    conclusion: '',
    keptGoing: 0,
    continued: 0,
    paused: 0,
    goesOn: false,
    output: new RequiredOutput(),
  };
  await closeOpenCalls(run.agent);
  for (;;) {
    await waitAtSafePoint(run, progress);
    const ending = (await joinInput(run, progress)) ?? (await fitIntoWindow(run)) ?? (await takeTurn(run, progress));
    if (ending !== undefined) return endRun(run, progress, ending);
  }
}

/** The safe point: every call has its result, and nothing is under way. */
async function waitAtSafePoint({ agent, ports, signal }: Run, { turns }: Progress): Promise<void> {
  await applySwitches(agent);
  await ports.tellMode?.(agent);
  const slow = ports.clientsReady?.(signal);
  if (slow !== undefined) await slow;
  if (ports.pace !== undefined && turns < agent.maxTurns) await ports.pace.beforeTurn(agent.id, signal);
}

async function joinInput({ agent, signal }: Run, progress: Progress): Promise<Ending | undefined> {
  if (!progress.goesOn && !isAsked(agent)) return { reason: 'completed' };
  progress.goesOn = false;
  const { turns } = progress;
  const isLimit = turns >= agent.maxTurns;
  // What no request will carry stays in the inbox: for the next run, or for the agent above.
  await joinMessage(agent, signal.aborted || isLimit ? 'results' : 'all');
  if (signal.aborted) return INTERRUPTED;
  return isLimit ? { reason: 'max_turns', line: `stopped after ${turns} turns, the limit of this run` } : undefined;
}

async function fitIntoWindow(run: Run): Promise<Ending | undefined> {
  const tooLarge = await leaveOutOversized(run);
  if (tooLarge !== undefined) return tooLarge;
  const compacted = await compactIfNeeded(run);
  if (compacted.kind === 'interrupted') return INTERRUPTED;
  return compacted.kind === 'failed' ? compacted : undefined;
}

async function takeTurn(run: Run, progress: Progress): Promise<Ending | undefined> {
  progress.turns += 1;
  const turn = await runTurn(run, progress.turns);
  if (turn.kind === 'interrupted') return INTERRUPTED;
  if (turn.kind === 'failed') return turn;
  if (turn.text !== '') progress.lastText = turn.text;
  if (progress.continued > 0 || progress.paused > 0) progress.conclusion += turn.text;
  else if (turn.text !== '' || progress.keptGoing === 0) progress.conclusion = turn.text;
  if (turn.calls.length > 0) return makeCalls(run, progress, turn.calls);
  return (await continueReply(run, progress, turn.stop)) ? undefined : stopUnlessKept(run, progress);
}

/** Runs the calls of a reply. Mostly the model answers their results; a hook or a required output may end the run. */
async function makeCalls(run: Run, progress: Progress, calls: readonly Call[]): Promise<Ending | undefined> {
  const { agent, signal } = run;
  const { output } = progress;
  const { stop, conclusion, structured, missed } = await runCalls(run, calls);
  if (structured === undefined) progress.keptGoing = 0;
  progress.continued = 0;
  progress.paused = 0;
  output.missed(missed);
  if (stop === undefined && conclusion === undefined && !output.isGivenUp) return undefined;
  await joinMessage(agent, 'results');
  if (stop !== undefined) return { reason: 'hook_stopped', line: stop };
  if (conclusion === undefined) return { reason: 'no_structured_output', line: output.line };
  if (structured !== undefined && !signal.aborted) {
    const hooks = await askStopHooks(run, progress, conclusion);
    if (hooks === 'keep-going') return undefined;
    if (hooks !== undefined) return hooks;
  }
  progress.lastText = conclusion;
  return { reason: 'completed', structured };
}

/** True: the reply was paused or cut off, and the model writes the rest of it. */
async function continueReply({ agent }: Run, progress: Progress, stop: string): Promise<boolean> {
  if (stop === 'pause_turn' && progress.paused < MAX_PAUSED) {
    progress.paused += 1;
    progress.goesOn = true;
    await agent.emit({ kind: 'fault-met', fault: 'pause-turn', line: 'the model paused its turn; it goes on' });
    return true;
  }
  if (stop === 'max_tokens' && progress.continued < MAX_CONTINUED) {
    progress.continued += 1;
    progress.goesOn = true;
    await remind(agent, 'Your reply was cut off at the output limit. Go on exactly where it stopped.');
    return true;
  }
  progress.continued = 0;
  progress.paused = 0;
  return false;
}

/** The model is done. New input, a required output or a hook keeps the run going. */
async function stopUnlessKept(run: Run, progress: Progress): Promise<Ending | undefined> {
  const { agent, ports, signal } = run;
  const { output } = progress;
  if (ports.pace !== undefined) await ports.pace.beforeEnd(agent.id, signal);
  if (agent.inbox.asks) return undefined;
  const reminder = output.remind(agent);
  if (reminder !== undefined) {
    if (output.isGivenUp) return { reason: 'no_structured_output', line: output.line };
    progress.goesOn = true;
    await remind(agent, reminder);
    return undefined;
  }
  const hooks = await askStopHooks(run, progress, progress.conclusion);
  if (hooks === 'keep-going') return undefined;
  if (hooks !== undefined) return { ...hooks, hooksAsked: true };
  // A child's run ends by closing its inbox; input that came just now is still handled.
  if (agent.depth > 0 && !(await agent.inbox.closeOnceLanded())) return undefined;
  progress.lastText = progress.conclusion;
  return { reason: 'completed', hooksAsked: true };
}

/** Undefined: they let it end. */
async function askStopHooks(
  run: Run,
  progress: Progress,
  conclusion: string,
): Promise<Ending | 'keep-going' | undefined> {
  const { stop, keepGoing } = await hooksAtStop(run, conclusion, progress.keptGoing > 0);
  if (stop !== undefined) return { reason: 'hook_stopped', line: stop };
  if (keepGoing === undefined || progress.keptGoing >= MAX_KEEP_GOING) return undefined;
  progress.keptGoing += 1;
  progress.goesOn = true;
  await remind(run.agent, keepGoing, 'hook');
  return 'keep-going';
}

/** An abort is the reason, wherever it was noticed. */
async function endRun({ agent, signal }: Run, { lastText, turns }: Progress, ending: Ending): Promise<RunEnd> {
  const { hooksAsked } = ending;
  const { reason, line, structured } = signal.aborted ? INTERRUPTED : ending;
  const why = line === undefined ? {} : { line };
  const recorded = structured === undefined ? {} : { structured };
  await agent.emit({ kind: 'run-ended', reason, ...why, ...recorded, usage: agent.state.usage });
  return {
    reason,
    text: lastText,
    turns,
    usage: agent.state.usage,
    ...why,
    ...(structured === undefined ? {} : { structured: structured.value }),
    ...(hooksAsked === undefined ? {} : { hooksAsked }),
  };
}

async function remind(agent: Agent, words: string, origin: 'reminder' | 'hook' = 'reminder'): Promise<void> {
  const key = `${origin} after ${agent.state.lastSeq}`;
  await agent.emit({ kind: 'input-admitted', origin, key, blocks: [freezeBlock(text(words))] });
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
