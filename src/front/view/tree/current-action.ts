/** The current action of an agent in a few words, and how long it has been quiet (TU-3, TU-4). Pure: time is passed in. */

import { clockTime, coarseDuration, duration } from '../../../protocol/format-numbers.js';
import { factsOf } from '../../../protocol/tools/built-in-tools.js';
import type { WaitView } from '../agent-activity.js';
import { type CallView, openCalls } from '../agent-calls.js';
import type { AgentView } from '../agent-view.js';
import { describeCall } from '../describe/describe-call.js';
import { oneLine } from './agent-label.js';
import { isTakenOver } from './task-state.js';

export type CurrentAction = {
  /** One line. It may be cut to fit. */
  readonly text: string;
  /** How long, if known: never cut. */
  readonly time: string;
};

const NOTHING: CurrentAction = { text: '', time: '' };

/** Without a token or output for this long, it is quiet. */
const QUIET_MS = 60_000;

export function currentAction(agent: AgentView, now: number): CurrentAction {
  const [question] = agent.questions;
  switch (agent.status) {
    case 'queued':
      return { text: 'queued', time: '' };
    case 'failed':
      return { text: agent.fault === undefined ? 'failed' : `failed: ${oneLine(agent.fault)}`, time: '' };
    case 'interrupted':
    case 'stopped':
      return { text: agent.status, time: '' };
    case 'completed':
      return NOTHING;
    case 'running':
    case 'waiting':
      if (question !== undefined) return { text: `asks ${oneLine(question.tool)}`, time: '' };
      return agent.retry === undefined ? actionOf(agent, now) : retryOf(agent.retry, now);
    default:
      return agent.status satisfies never;
  }
}

function actionOf(agent: AgentView, now: number): CurrentAction {
  const call = openCalls(agent).at(-1);
  if (call !== undefined) {
    const quiet = factsOf(call.tool).waitsFor === 'task' ? '' : quietText(agent, now);
    return { text: callText(call), time: `${clockTime(now - (call.startedAt ?? now))}${quiet}` };
  }
  return { text: actionText(agent), time: agent.status === 'waiting' ? '' : quietText(agent, now) };
}

/** For a running agent without an open call. */
export function actionText(agent: AgentView): string {
  if (agent.status === 'waiting') return isTakenOver(agent) ? 'waiting for you' : 'waiting for its agents';
  return COMING[agent.coming ?? 'none'];
}

const COMING = {
  none: 'working',
  asked: 'waiting for the model',
  text: 'replying',
  thinking: 'thinking',
  call: 'writing a call',
} as const;

/** `Bash npm test`: the tool and its main argument. */
export function callText(call: CallView): string {
  const known = WORDS.get(call);
  if (known !== undefined) return known;
  const words = oneLine(describeCall(call.tool, call.input).replace(': ', ' '));
  WORDS.set(call, words);
  return words;
}

/** Cached, since a call is shown many times while it runs. */
const WORDS = new WeakMap<CallView, string>();

/** `, quiet 1m`, or nothing. */
export function quietText({ signAt }: AgentView, now: number): string {
  const quiet = signAt === undefined ? 0 : now - signAt;
  return quiet < QUIET_MS ? '' : `, quiet ${coarseDuration(quiet)}`;
}

function retryOf(retry: WaitView, now: number): CurrentAction {
  const cause = retry.status === null ? '' : ` ${retry.status}`;
  return { text: `retrying${cause}`, time: `${retry.attempt}/${retry.most} ${duration(retryLeft(retry, now))}` };
}

/** Milliseconds until the next attempt, in whole seconds. */
export function retryLeft({ at, delayMs }: WaitView, now: number): number {
  return Math.max(0, Math.ceil((at + delayMs - now) / 1000)) * 1000;
}
