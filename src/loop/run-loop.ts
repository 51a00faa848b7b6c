/** The loop of every agent: join admitted input, query the model, run its calls, and repeat until it is done. */

import { text } from '../protocol/blocks.js';
import type { RunEndReason } from '../protocol/events.js';
import { freezeBlock } from '../protocol/frozen-block.js';
import { outcomeText, type ToolOutcome } from '../protocol/outcome.js';
import type { Usage } from '../protocol/usage.js';
import type { Tool } from '../tools/tool.js';
import type { Agent } from './agent.js';
import { compactIfNeeded } from './compact/compact.js';
import { leaveOutOversized } from './compact/leave-out.js';
import { applySwitches } from './epoch.js';
import { closeOpenCalls, joinMessage, openCalls } from './join-message.js';
import type { Call, Run } from './run.js';
import { runCalls } from './run-calls.js';
import { runTurn } from './run-turn.js';
import { hooksAtStop } from './stop-hooks.js';

export type RunEnd = {
  readonly reason: RunEndReason;
  /** The text of the last reply. */
  readonly text: string;
  /** With an output schema: the value; `text` is its JSON. */
  readonly structured?: unknown;
  /** The failure, as a message for the user. */
  readonly line?: string;
  readonly turns: number;
  readonly usage: Usage;
  /** The stop hooks ran at this end and could have prevented it. */
  readonly hooksAsked?: boolean;
};

/** Why a run ends. `hooksAsked`: as in `RunEnd`. */
type Ending = {
  readonly reason: RunEndReason;
  readonly line?: string | undefined;
  readonly structured?: { readonly value: unknown } | undefined;
  readonly hooksAsked?: boolean;
};

/** The state of one run between turns. */
type Progress = {
  turns: number;
  /** The text of the last reply that had any. */
  lastText: string;
  /** The full text of the last reply, joined from its parts if it was cut off or paused. */
  conclusion: string;
  /** How often in a row a hook continued the run, a reply was cut off, or the model paused. */
  hookContinues: number;
  continued: number;
  paused: number;
  /** Take another turn even if no input is waiting. */
  takesTurn: boolean;
  readonly output: RequiredOutput;
};

/** How often in a row a hook may prevent an agent from stopping. */
const MAX_KEEP_GOING = 8;
/** How often in a row a reply that hit the output limit is continued. */
const MAX_CONTINUED = 3;
/** How often in a row the model may pause its turn. */
const MAX_PAUSED = 10;

const INTERRUPTED: Ending = { reason: 'interrupted' };

export async function runLoop(run: Run): Promise<RunEnd> {
  const progress: Progress = {
    turns: 0,
    lastText: '',
    conclusion: '',
    hookContinues: 0,
    continued: 0,
    paused: 0,
    takesTurn: false,
    output: new RequiredOutput(),
  };
  await closeOpenCalls(run.agent);
  for (;;) {
    await waitAtSafePoint(run, progress);
    const ending = (await joinInput(run, progress)) ?? (await fitIntoWindow(run)) ?? (await takeTurn(run, progress));
    if (ending !== undefined) return endRun(run, progress, ending);
  }
}

/** The safe point: every call has its result, and nothing is running. */
async function waitAtSafePoint({ agent, ports, signal }: Run, { turns }: Progress): Promise<void> {
  await applySwitches(agent);
  await ports.announceMode?.(agent);
  const slow = ports.clientsReady?.(signal);
  if (slow !== undefined) await slow;
  if (ports.pace !== undefined && turns < agent.maxTurns) await ports.pace.beforeTurn(agent.id, signal);
}

async function joinInput({ agent, signal }: Run, progress: Progress): Promise<Ending | undefined> {
  if (!progress.takesTurn && !hasInput(agent)) return { reason: 'completed' };
  progress.takesTurn = false;
  const { turns } = progress;
  const isLimit = turns >= agent.maxTurns;
  // Input that no request will carry stays in the inbox for the next run, or for the parent agent.
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
  else if (turn.text !== '' || progress.hookContinues === 0) progress.conclusion = turn.text;
  if (turn.calls.length > 0) return makeCalls(run, progress, turn.calls);
  return (await continueReply(run, progress, turn.stop)) ? undefined : stopUnlessContinued(run, progress);
}

/**
 * Runs the calls of a reply. Usually the model then answers the results; a hook or a required output may end the run.
 */
async function makeCalls(run: Run, progress: Progress, calls: readonly Call[]): Promise<Ending | undefined> {
  const { agent, signal } = run;
  const { output } = progress;
  const { stop, conclusion, structured, missed } = await runCalls(run, calls);
  if (structured === undefined) progress.hookContinues = 0;
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

/** Returns true if the reply was paused or cut off and the model continues it. */
async function continueReply({ agent }: Run, progress: Progress, stop: string): Promise<boolean> {
  if (stop === 'pause_turn' && progress.paused < MAX_PAUSED) {
    progress.paused += 1;
    progress.takesTurn = true;
    await agent.emit({ kind: 'fault-met', fault: 'pause-turn', line: 'the model paused its turn; continuing it' });
    return true;
  }
  if (stop === 'max_tokens' && progress.continued < MAX_CONTINUED) {
    progress.continued += 1;
    progress.takesTurn = true;
    await remind(agent, 'Your reply was cut off at the output limit. Go on exactly where it stopped.');
    return true;
  }
  progress.continued = 0;
  progress.paused = 0;
  return false;
}

/** Ends the run when the model is done, unless new input, a required output or a hook continues it. */
async function stopUnlessContinued(run: Run, progress: Progress): Promise<Ending | undefined> {
  const { agent, ports, signal } = run;
  const { output } = progress;
  if (ports.pace !== undefined) await ports.pace.beforeEnd(agent.id, signal);
  if (agent.inbox.asks) return undefined;
  const reminder = output.remind(agent);
  if (reminder !== undefined) {
    if (output.isGivenUp) return { reason: 'no_structured_output', line: output.line };
    progress.takesTurn = true;
    await remind(agent, reminder);
    return undefined;
  }
  const hooks = await askStopHooks(run, progress, progress.conclusion);
  if (hooks === 'keep-going') return undefined;
  if (hooks !== undefined) return { ...hooks, hooksAsked: true };
  // Closing the inbox ends a child's run; input that arrived in the meantime is still handled.
  if (agent.depth > 0 && !(await agent.inbox.closeOnceLanded())) return undefined;
  progress.lastText = progress.conclusion;
  return { reason: 'completed', hooksAsked: true };
}

/** Returns undefined if the hooks let the run end. */
async function askStopHooks(
  run: Run,
  progress: Progress,
  conclusion: string,
): Promise<Ending | 'keep-going' | undefined> {
  const { stop, keepGoing } = await hooksAtStop(run, conclusion, progress.hookContinues > 0);
  if (stop !== undefined) return { reason: 'hook_stopped', line: stop };
  if (keepGoing === undefined || progress.hookContinues >= MAX_KEEP_GOING) return undefined;
  progress.hookContinues += 1;
  progress.takesTurn = true;
  await remind(run.agent, keepGoing, 'hook');
  return 'keep-going';
}

/** An abort takes precedence as the reason, wherever it was noticed. */
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

async function remind(agent: Agent, content: string, origin: 'reminder' | 'hook' = 'reminder'): Promise<void> {
  const key = `${origin} after ${agent.state.lastSeq}`;
  await agent.emit({ kind: 'input-admitted', origin, key, blocks: [freezeBlock(text(content))] });
}

/** True if there is input to answer. The user may have withdrawn the input that started the run. */
function hasInput(agent: Agent): boolean {
  const { state, inbox } = agent;
  if (inbox.asks || state.results.size > 0 || state.lastStop === 'pause_turn') return true;
  // An interrupted child is continued by a reminder.
  if (agent.depth > 0 && state.pending.some(({ origin }) => origin === 'reminder')) return true;
  const last = state.history.at(state.history.length - 1);
  return last?.role === 'user' || openCalls(agent).length > 0;
}

/** Per run: invalid values and ends without a value. */
const MOST_TRIES = 5;

/** The tool that must conclude the run. Only for the main agent: a fork has the tool as well, but answers in text. */
function toolOf({ depth, epoch }: Agent): Tool | undefined {
  return depth === 0 ? epoch.tools.find((tool) => tool.concludes === true) : undefined;
}

/** A run that must end with a call of one tool: limits the attempts and reminds the model. */
class RequiredOutput {
  #tries = 0;
  #problem = '';

  get isGivenUp(): boolean {
    return this.#tries >= MOST_TRIES;
  }

  get line(): string {
    return `Failed to provide valid structured output after ${MOST_TRIES} attempts: ${this.#problem}`;
  }

  /** Records calls of the tool that did not end the run. */
  missed(outcomes: readonly Pick<ToolOutcome, 'isError' | 'content'>[]): void {
    for (const outcome of outcomes) this.#count(outcomeText(outcome));
  }

  /** Handles a model that finished without the call. Returns a reminder; undefined if nothing is required. */
  remind(agent: Agent): string | undefined {
    const tool = toolOf(agent);
    if (tool === undefined) return undefined;
    this.#count(`${tool.name} was not called`);
    return `You have not called ${tool.name} yet, and your text reaches nobody. Give the result of the person's request by calling ${tool.name} now.`;
  }

  #count(problem: string): void {
    this.#tries += 1;
    this.#problem = problem;
  }
}
