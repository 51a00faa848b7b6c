/** The state of a session when it was left: the last exchange, and what was interrupted. Shown on resume. */

import type { RunEndReason } from '../protocol/events.js';
import { type FrozenBlock, parseBlock } from '../protocol/frozen-block.js';
import { type AgentState, openTasks } from '../session/state/agent-state.js';
import type { LoadedSession } from './open/load-session.js';

export type PastSession = {
  /** The number of prompts that were not rewound. */
  readonly prompts: number;
  /** The beginning of the last one. */
  readonly prompt: string | undefined;
  /** The model's last reply to it; undefined if there is none, or a summary has replaced it. */
  readonly reply: string | undefined;
  /** How the last run ended, unless it completed. `killed`: its end is not recorded. */
  readonly cutOff: Exclude<RunEndReason, 'completed'> | 'killed' | undefined;
  /** Agents that did not finish. */
  readonly agents: readonly { readonly id: string; readonly title: string }[];
  /** True if these are resumed with the next prompt. */
  readonly resumesAgents: boolean;
  /** Background shell commands that ended with the process. */
  readonly commands: readonly string[];
  /** Lines of its transcript that can't be read. */
  readonly damagedLines: number;
  /** Messages that you sent and no agent has read; `held`: waits for `send-held`. */
  readonly queue: readonly { readonly seq: number; readonly blocks: readonly FrozenBlock[]; readonly held?: true }[];
};

export function pastOf({ state, agents, damagedLines }: LoadedSession, resumesAgents: boolean): PastSession {
  return {
    prompts: state.prompts.length,
    prompt: state.prompts.at(-1)?.words,
    reply: lastReply(state),
    cutOff: cutOff(state),
    agents: agents.agents
      .filter((log) => log.unfinished)
      .map(({ agent, spawned }) => ({ id: agent, title: `${spawned.name ?? spawned.type}: ${spawned.description}` })),
    resumesAgents,
    damagedLines,
    commands: openTasks(state).map(({ command }) => command),
    queue: state.pending
      .filter(({ origin }) => origin === 'person')
      .map(({ seq, blocks, held }) => ({ seq, blocks, ...(held ? { held } : {}) })),
  };
}

function cutOff({ runEnd, turnAt, pending }: AgentState): PastSession['cutOff'] {
  if (runEnd !== undefined) return runEnd.reason === 'completed' ? undefined : runEnd.reason;
  return turnAt > 0 || pending.some(({ origin }) => origin === 'person') ? 'killed' : undefined;
}

/** The text of the last reply. None if you have sent something since. */
function lastReply({ history, pending }: AgentState): string | undefined {
  if (pending.some(({ origin, held }) => origin === 'person' && !held)) return undefined;
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const message = history.at(index);
    if (message === undefined) return undefined;
    const texts = message.blocks.map(parseBlock).flatMap((block) => (block.type === 'text' ? [block.text] : []));
    const reply = texts.join('\n').trim();
    if (message.role === 'assistant' && reply !== '') return reply;
    if (message.role === 'user' && message.blocks.every(({ type }) => type !== 'tool_result')) return undefined;
  }
  return undefined;
}
