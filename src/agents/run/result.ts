/** The result of a child: a union for the library, and its text for the model. */

import type { AgentStatus, RunEndReason } from '../../protocol/events.js';
import { restoreTags } from '../../protocol/tags.js';
import { inputTokens, type Usage } from '../../protocol/usage.js';
import type { Settled } from '../worktrees/session-worktrees.js';

export type AgentResult =
  | (ChildFacts & { readonly status: 'completed'; readonly content: string })
  | (ChildFacts & {
      readonly status: 'failed';
      readonly reason: FailureReason;
      /** What went wrong, for people. */
      readonly line: string;
      /** What it had said so far; may be empty. */
      readonly content: string;
    })
  | {
      readonly status: 'async_launched';
      readonly agentId: string;
      readonly agentType: string;
      readonly outputFile: string;
      readonly canReadOutputFile: boolean;
      readonly worktree?: WorktreeFacts;
    };

export type FailureReason = Exclude<RunEndReason, 'completed'> | 'stopped' | 'stalled' | 'not_started';

export type ChildFacts = {
  readonly agentId: string;
  readonly agentType: string;
  readonly model: string;
  readonly toolUses: number;
  readonly durationMs: number;
  /** Of the whole run. */
  readonly usage: Usage;
  /** Of its last request: tokens in and out, and how many of them the API has cached since. */
  readonly lastRequest?: { readonly tokens: number; readonly cached: number };
  /** Where its work is, unless that was removed because there was none. */
  readonly worktree?: WorktreeFacts;
};

export type WorktreeFacts = {
  readonly path: string;
  /** Empty if a hook made it and told none. */
  readonly branch: string;
  /** Why it is still there, in a line; omitted while the agent works. */
  readonly why?: string;
  /** Only these were checked out. */
  readonly usedSparsePaths?: readonly string[];
};

export type ResultTextOptions = {
  readonly oneShot: boolean;
  /** The caller can write to the child. */
  readonly canContinue: boolean;
  /** A line to say first: that a fork fell back to something else. */
  readonly note?: string | undefined;
};

export const NO_TEXT = '(Subagent completed but returned no output.)';

export function resultText(result: AgentResult, options: ResultTextOptions): string {
  const note = options.note === undefined ? [] : [options.note];
  switch (result.status) {
    case 'completed': {
      const content = result.content.trim() === '' ? NO_TEXT : restoreTags(result.content);
      return [...note, content, ...trailer(result, options)].join('\n\n');
    }
    case 'failed': {
      const partial = result.content.trim() === '' ? [] : [`What it had said so far:\n${restoreTags(result.content)}`];
      return [
        ...note,
        `The agent failed (${result.reason}): ${result.line}`,
        ...partial,
        ...trailer(result, options),
      ].join('\n\n');
    }
    case 'async_launched':
      return [...note, launchedText(result)].join('\n\n');
    default:
      return result satisfies never;
  }
}

/** One-shot agents can't be continued, so nothing says how; a worktree is always named. */
function trailer(facts: ChildFacts, { oneShot, canContinue }: ResultTextOptions): string[] {
  const tree = facts.worktree ? [describeWorktree(facts.worktree)] : [];
  if (oneShot && tree.length === 0) return [];
  const more = canContinue && !oneShot ? ` (to go on with it: SendMessage with to: "${facts.agentId}")` : '';
  const tokens = inputTokens(facts.usage) + facts.usage.output;
  const usage = `<usage>tokens: ${tokens}, tool calls: ${facts.toolUses}, duration: ${facts.durationMs} ms</usage>`;
  return [[...tree, `agentId: ${facts.agentId}${more}`, usage].join('\n')];
}

export function describeWorktree({ path, branch, why, usedSparsePaths: sparse }: WorktreeFacts): string {
  const on = branch === '' ? '' : ` (branch ${branch})`;
  const only = sparse === undefined ? '' : `; only these paths are checked out: ${sparse.join(', ')}`;
  return `worktree: ${path}${on}${why === undefined ? '' : `, ${why}`}${only}`;
}

function launchedText(result: Extract<AgentResult, { status: 'async_launched' }>): string {
  const look = result.canReadOutputFile
    ? `Its progress is written to ${result.outputFile}, which you can read if the person asks how it stands.`
    : 'TaskOutput shows how it stands if the person asks.';
  return `Started in the background as agent ${result.agentId} (${result.agentType}). A notice with its result will reach you when it ends. ${look} Don't wait for it or poll: go on with other work, or end your turn.${result.worktree === undefined ? '' : `\n${describeWorktree(result.worktree)}`}`;
}

/** The part of the runtime it needs. */
type BoundOptions = {
  readonly settings: { readonly resultLimit: number };
  readonly ports: { keepOutput(name: string, content: string): Promise<string> };
};

/** A result that is too long for a conversation is cut; the whole of it stays on disk. */
export async function boundResult<T extends { readonly agentId: string; readonly content: string }>(
  { settings, ports }: BoundOptions,
  result: T,
): Promise<T> {
  const { resultLimit } = settings;
  const { agentId, content } = result;
  if (content.length <= resultLimit) return result;
  const path = await ports.keepOutput(`agent-${agentId}.md`, content);
  const cut = content.slice(0, resultLimit).toWellFormed();
  const note = `[Cut after ${resultLimit} of ${content.length} characters; the whole is in ${path}]`;
  return { ...result, content: `${cut}\n\n${note}` };
}

export type EndedResult = Exclude<AgentResult, { readonly status: 'async_launched' }>;

export type EndedRun = {
  readonly run: number;
  readonly status: AgentStatus | 'queued';
  /** Nobody waited for it when it ended. */
  readonly background: boolean;
  readonly result: EndedResult;
  /** Hooks hear of its end now that it is on record. */
  readonly tellsHooks?: boolean;
  /** Its end could not be recorded: it counts as interrupted when the session goes on. */
  readonly isUnrecorded?: boolean;
  /** What became of its worktree. */
  readonly settled?: Settled;
};
