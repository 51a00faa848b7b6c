/** How a finished child reaches its parent: a message no person wrote, marked as such, delivered once. */

import { text } from '../../protocol/blocks.js';
import type { NoticeKey } from '../../protocol/events.js';
import { type FrozenBlock, freezeBlock } from '../../protocol/frozen-block.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { escapeField, neutralizeTags } from '../../protocol/tags.js';
import { inputTokens } from '../../protocol/usage.js';
import { isAtWork, type Member } from '../live-agent.js';
import { boundResult } from '../run/bound-result.js';
import type { EndedRun } from '../run/ended-run.js';
import { NO_TEXT } from '../run/result.js';
import type { Runtime } from '../runtime.js';

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

/** The tags inside a notice: a result must not bring its own, or it could end itself early and state another status. */
const FIELDS = /<(?=\s*\/?\s*(?:task-id|tool-use-id|agent|status|summary|result|usage|output-file|worktree)[\s/>])/gi;
const MAX_SUMMARY = 300;

export function noticeText(facts: NoticeFacts): string {
  const tree = facts.worktree
    ? `<worktree path="${oneLine(facts.worktree.path)}" branch="${oneLine(facts.worktree.branch)}"/>`
    : '';
  const toolUse = facts.toolUseId === undefined ? '' : `<tool-use-id>${oneLine(facts.toolUseId)}</tool-use-id>`;
  return `<task-notification>
<task-id>${oneLine(facts.taskId)}</task-id>${toolUse}<agent>${oneLine(facts.agent)}</agent>
<status>${facts.status}</status>
<summary>${oneLine(facts.summary.slice(0, MAX_SUMMARY).toWellFormed())}</summary>
<result>${neutralizeTags(facts.result).replace(FIELDS, '&lt;')}</result>
<usage>${oneLine(facts.usage)}</usage>
<output-file>${oneLine(facts.outputFile)}</output-file>${tree}
</task-notification>`;
}

/** A short field: no markup in it, and no line of its own. */
function oneLine(field: string): string {
  return escapeField(field.replace(/\s+/g, ' ').trim());
}

export async function noticeOf(
  runtime: Runtime,
  member: Member,
  { state, result }: EndedRun,
  warning: string | undefined,
): Promise<string> {
  const status = result.status === 'completed' ? 'completed' : state === 'stopped' ? 'stopped' : 'failed';
  // That the whole could not be kept is no reason to say nothing.
  const { content } = await boundResult(runtime, result).catch(() => result);
  const said = content.trim() === '' && status === 'completed' ? NO_TEXT : content;
  const reason = result.status === 'failed' ? `${result.line}\n` : '';
  const tokens = inputTokens(result.usage) + result.usage.output;
  return noticeText({
    taskId: member.agent.id,
    toolUseId: member.call,
    agent: member.name ?? member.agent.type,
    status,
    summary: `${member.description} ${status}`,
    result: `${warning === undefined ? '' : `[Hand-off check: ${warning}]\n`}${reason}${said}`.trim(),
    usage: `tokens: ${tokens}, tool calls: ${result.toolUses}, duration: ${result.durationMs} ms`,
    outputFile: member.output.path,
    worktree: result.worktree,
  });
}

export function deliverNotice(
  runtime: Runtime,
  from: Member | undefined,
  notice: string,
  key: NoticeKey,
): Promise<void> {
  return passOn(runtime, from, { blocks: [freezeBlock(text(notice))], notice: key });
}

const TRIES = 5;
const FIRST_WAIT_MS = 200;

/**
 * Puts a notice into the inbox of whoever should hear it: the parent, or, when that has ended, the next above that
 * still listens; at last the main agent, whose inbox never closes. A disk that is full now may have room in a moment.
 */
export async function passOn(
  runtime: Runtime,
  from: Member | undefined,
  notice: { readonly blocks: readonly FrozenBlock[]; readonly notice?: NoticeKey },
): Promise<void> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    if (tried > 0) await runtime.host.clock.sleep(FIRST_WAIT_MS * 2 ** (tried - 1));
    try {
      return await admit(runtime, from, notice);
    } catch (error) {
      const line = `a notice could not be saved: ${reasonOf(error)}`;
      const event = { kind: 'line-shown', level: 'error', line } as const;
      for (const watch of runtime.listeners) watch({ agent: from?.agent.id ?? '', seq: undefined, event });
      // It is on record as queued: a resumed session delivers it.
      if (runtime.isClosing) return;
    }
  }
}

async function admit(runtime: Runtime, from: Member | undefined, { blocks, notice }: Parameters<typeof passOn>[2]) {
  for (let above = from; above !== undefined; above = above.parent) {
    // The parent may have ended and gone on since: then it is another run of the same agent that listens.
    const listener = runtime.members.get(above.agent.id) ?? above;
    const isMain = listener.parent === undefined;
    if (!isMain && !isAtWork(listener)) continue;
    if (await listener.agent.inbox.admitFrozen('notice', blocks, notice)) {
      if (isMain) runtime.wakeMain();
      return;
    }
  }
}
