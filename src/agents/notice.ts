/** How a finished child reaches its parent: a message no person wrote, marked as such, delivered once. */

import { text } from '../protocol/blocks.js';
import type { NoticeKey } from '../protocol/events.js';
import { escapeField, neutralizeTags } from '../protocol/tags.js';
import { inputTokens } from '../protocol/usage.js';
import type { Crew } from './crew.js';
import { isAtWork, type Member } from './member.js';
import { type AgentResult, NO_TEXT } from './result.js';

export type NoticeFacts = {
  readonly taskId: string;
  readonly toolUseId: string | undefined;
  readonly agent: string;
  readonly status: 'completed' | 'failed' | 'stopped';
  readonly summary: string;
  readonly result: string;
  readonly usage: string;
  readonly outputFile: string;
  readonly worktree?: { readonly path: string; readonly branch: string } | undefined;
};

export function noticeText(facts: NoticeFacts): string {
  const tree = facts.worktree
    ? `<worktree path="${escapeField(facts.worktree.path)}" branch="${escapeField(facts.worktree.branch)}"/>`
    : '';
  const toolUse = facts.toolUseId === undefined ? '' : `<tool-use-id>${escapeField(facts.toolUseId)}</tool-use-id>`;
  return `<task-notification>
<task-id>${escapeField(facts.taskId)}</task-id>${toolUse}<agent>${escapeField(facts.agent)}</agent>
<status>${facts.status}</status>
<summary>${escapeField(facts.summary)}</summary>
<result>${neutralizeTags(facts.result)}</result>
<usage>${escapeField(facts.usage)}</usage>
<output-file>${escapeField(facts.outputFile)}</output-file>${tree}
</task-notification>`;
}

export function noticeOf(member: Member, result: AgentResult, warning: string | undefined): string {
  if (result.status === 'async_launched') throw new Error('a run that has not ended gives no notice');
  const status = result.status === 'completed' ? 'completed' : member.state === 'stopped' ? 'stopped' : 'failed';
  const said = result.content.trim() === '' && status === 'completed' ? NO_TEXT : result.content;
  const why = result.status === 'failed' ? `${result.line}\n` : '';
  const tokens = inputTokens(result.usage) + result.usage.output;
  return noticeText({
    taskId: member.agent.id,
    toolUseId: member.call,
    agent: member.name ?? member.agent.type,
    status,
    summary: `${member.description} ${status}`,
    result: `${warning === undefined ? '' : `[Hand-off check: ${warning}]\n`}${why}${said}`.trim(),
    usage: `tokens: ${tokens}, tool calls: ${result.toolUses}, duration: ${result.durationMs} ms`,
    outputFile: member.output.path,
    worktree: result.worktree,
  });
}

/**
 * Puts a notice into the inbox of whoever should hear it: the parent, or, when that has ended, the next above that
 * still listens; at last the main agent, whose inbox never closes.
 */
export async function deliverNotice(
  crew: Crew,
  from: Member | undefined,
  notice: string,
  key: NoticeKey,
): Promise<void> {
  for (let listener = from; listener !== undefined; listener = listener.parent) {
    const isMain = listener.parent === undefined;
    if (!isMain && !isAtWork(listener)) continue;
    if (await listener.agent.inbox.admit('notice', [text(notice)], key)) {
      if (isMain) crew.wakeMain();
      return;
    }
  }
}
