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
      /** The failure, for the user. */
      readonly line: string;
      /** Its output so far; may be empty. */
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
  /** The usage of the whole run. */
  readonly usage: Usage;
  /** For its last request: tokens in and out, and how many of them are cached. */
  readonly lastRequest?: { readonly tokens: number; readonly cached: number };
  /** The worktree with its work; undefined if it was removed because it was empty. */
  readonly worktree?: WorktreeFacts;
};

export type WorktreeFacts = {
  readonly path: string;
  /** Empty if a hook created it without naming a branch. */
  readonly branch: string;
  /** Why it still exists, in one line; omitted while the agent is running. */
  readonly why?: string;
  /** The sparse checkout paths, if not everything was checked out. */
  readonly usedSparsePaths?: readonly string[];
};

export type ResultTextOptions = {
  readonly oneShot: boolean;
  /** The caller can write to the child. */
  readonly canContinue: boolean;
  /** A line to put first: that a fork fell back to something else. */
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

/** Omits how to continue for one-shot agents, which can't be continued, but always names a worktree. */
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

/** The part of the runtime that is needed here. */
type BoundOptions = {
  readonly settings: { readonly resultLimit: number };
  readonly ports: { saveOutput(name: string, content: string): Promise<string> };
};

/** Truncates a result that is too long for a conversation; the full text stays on disk. */
export async function boundResult<T extends { readonly agentId: string; readonly content: string }>(
  { settings, ports }: BoundOptions,
  result: T,
): Promise<T> {
  const { resultLimit } = settings;
  const { agentId, content } = result;
  if (content.length <= resultLimit) return result;
  const path = await ports.saveOutput(`agent-${agentId}.md`, content);
  const cut = content.slice(0, resultLimit).toWellFormed();
  const note = `[Cut after ${resultLimit} of ${content.length} characters; the whole is in ${path}]`;
  return { ...result, content: `${cut}\n\n${note}` };
}

export type EndedResult = Exclude<AgentResult, { readonly status: 'async_launched' }>;

export type EndedRun = {
  readonly run: number;
  readonly status: AgentStatus | 'queued';
  /** No call waited for it when it ended. */
  readonly background: boolean;
  readonly result: EndedResult;
  /** Hooks are notified of its end, which is recorded now. */
  readonly runsEndHooks?: boolean;
  /** Its end could not be recorded, so a resume of the session treats it as interrupted. */
  readonly isUnrecorded?: boolean;
  /** The outcome of its worktree. */
  readonly settled?: Settled;
};
