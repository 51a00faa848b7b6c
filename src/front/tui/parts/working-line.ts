/** The current action of the agent in view as a row: its call, its model, or what it waits for (TU-2, TU-27). */

import { MAIN_AGENT } from '../../../protocol/events.js';
import { clockTime, duration, plural, shortCount } from '../../../protocol/format-numbers.js';
import type { WaitView } from '../../view/agent-activity.js';
import { openCalls } from '../../view/agent-calls.js';
import type { AgentView } from '../../view/agent-view.js';
import type { SessionView } from '../../view/session-view.js';
import { agentLabel, oneLine } from '../../view/tree/agent-label.js';
import { actionText, callText, quietText, retryLeft } from '../../view/tree/current-action.js';
import { isTakenOver } from '../../view/tree/task-state.js';
import { clip } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';
import { type Cell, cellRow, cellsWidth } from './cells.js';

export type WorkingOptions = {
  readonly width: number;
  readonly now: number;
  readonly theme: Theme;
  /** The key that interrupts, as bound. */
  readonly interruptKey: string;
};

const FRAMES = ['✻', '✽', '✶', '✳', '✢', '✳', '✶', '✽'] as const;
const FRAME_MS = 120;
const MARK_WIDTH = 2;
/** An argument is cut to the room left by the numbers, but not below this. */
const LEAST_WORDS = 12;
const CHARS_PER_TOKEN = 4;

/** Dropped first in a narrow row. */
const GOES = { tokens: 1, quiet: 2, hint: 3 } as const;

/** Empty while nothing happens. `agent`: the one in view. */
export function workingRows(view: Pick<SessionView, 'agents'>, agent: string, options: WorkingOptions): string[] {
  const own = view.agents.get(agent);
  const waiting = [...view.agents.values()].filter(({ retry, id }) => retry !== undefined && id !== agent);
  const ownRow = own === undefined ? undefined : ownRows(own, waiting, options);
  // One line for all that wait, the one in view included.
  const others = own?.retry !== undefined || waiting.length === 0 ? undefined : othersRow(waiting, options);
  return [ownRow, others].flatMap((row) => row ?? []);
}

/** Rows of an agent that is running, or whose last event was a fault. */
function ownRows(agent: AgentView, others: readonly AgentView[], options: WorkingOptions): string | undefined {
  const { retry, lastFault } = agent;
  if (retry !== undefined) return retryRow(retry, others.length, options);
  if (isAtWork(agent)) return workRow(agent, options);
  if (lastFault === undefined) return undefined;
  const { width, theme } = options;
  return clip(`${theme.bad('!')} ${causeOf(lastFault)}`, width);
}

/** The main agent and a taken-over one wait for the user, other children for their own agents. */
function isAtWork(agent: AgentView): boolean {
  const { id, status, questions } = agent;
  if (questions.length > 0) return false;
  return status === 'running' || (status === 'waiting' && id !== MAIN_AGENT && !isTakenOver(agent));
}

function workRow(agent: AgentView, { width, now, theme, interruptKey }: WorkingOptions): string {
  const calls = openCalls(agent);
  const call = calls.at(-1);
  const since = call?.startedAt ?? agent.askedAt;
  const isComing = call === undefined && agent.streamed > 0;
  const more = calls.length > 1 ? ` +${calls.length - 1}` : '';
  const figures: Cell[] = [
    { text: since === undefined ? '' : clockTime(now - since) },
    { text: isComing ? `${shortCount(agent.streamed / CHARS_PER_TOKEN)} tokens` : '', goes: GOES.tokens },
    { text: quietText(agent, now).replace(', ', ''), goes: GOES.quiet },
    { text: interruptKey === '' ? '' : `${interruptKey} interrupts`, style: theme.dim, goes: GOES.hint },
  ];
  const words = call === undefined ? actionText(agent) : callText(call);
  const room = width - MARK_WIDTH - more.length - cellsWidth([{ text: '' }, ...figures]);
  const cells = [{ text: `${clip(words, Math.max(LEAST_WORDS, room))}${more}` }, ...figures];
  return marked(theme.accent(frame(now)), cells, width, theme);
}

/** `overloaded · attempt 3 of 10 · retrying in 12s · esc interrupts`. */
function retryRow(retry: WaitView, others: number, { width, now, theme, interruptKey }: WorkingOptions): string {
  const cells: Cell[] = [
    { text: clip(causeOf(retry.line), Math.max(8, width - 52)), style: theme.warn },
    ...retryCells(retry, now),
    { text: others === 0 ? '' : `also ${plural(others, 'agent')}`, goes: GOES.quiet },
    { text: interruptKey === '' ? '' : `${interruptKey} interrupts`, style: theme.dim, goes: GOES.hint },
  ];
  return marked(theme.warn('↻'), cells, width, theme);
}

/** The last one to retry determines the time. */
function othersRow(agents: readonly AgentView[], { width, now, theme }: WorkingOptions): string | undefined {
  const [first] = [...agents].sort((a, b) => endOf(b.retry) - endOf(a.retry));
  if (first?.retry === undefined) return undefined;
  const who = agents.length === 1 ? agentLabel(first) : plural(agents.length, 'agent');
  const verb = agents.length === 1 ? 'waits' : 'wait';
  const cells: Cell[] = [
    { text: `${clip(who, Math.max(8, Math.floor(width / 4)))} ${verb} for the model`, style: theme.warn },
    { text: clip(causeOf(first.retry.line), Math.max(8, width - 66)), goes: GOES.quiet },
    ...retryCells(first.retry, now),
  ];
  return marked(theme.warn('↻'), cells, width, theme);
}

function endOf(retry: WaitView | undefined): number {
  return retry === undefined ? 0 : retry.at + retry.delayMs;
}

function retryCells(retry: WaitView, now: number): readonly Cell[] {
  const left = retryLeft(retry, now);
  return [
    { text: `attempt ${retry.attempt} of ${retry.most}` },
    { text: left === 0 ? 'retrying now' : `retrying in ${duration(left)}` },
  ];
}

/** A fault's line ends with the retry time, which counts down here instead. */
function causeOf(line: string): string {
  return oneLine(line).replace(/ · retrying in .*$/, '');
}

function marked(mark: string, cells: readonly Cell[], width: number, theme: Theme): string {
  return clip(`${mark} ${cellRow(cells, Math.max(0, width - MARK_WIDTH), theme.dim)}`, width);
}

function frame(now: number): string {
  return FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length] ?? FRAMES[0];
}
