/** Notices: how the end of a run reaches the parent, as a marked message delivered exactly once. */

import { text } from '../../protocol/blocks.js';
import type { AgentSpawned, NoticeKey } from '../../protocol/events.js';
import { freezeBlock } from '../../protocol/frozen-block.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { escapeField, requoteTags } from '../../protocol/tags.js';
import { inputTokens } from '../../protocol/usage.js';
import type { LiveAgent } from '../live-agent.js';
import { handOffWarning } from '../run/hand-off.js';
import type { EndedRun } from '../run/result.js';
import { boundResult, NO_TEXT } from '../run/result.js';
import type { Runtime } from '../runtime.js';
import type { Settled } from '../worktrees/session-worktrees.js';
import { describeSettled, settleWorktree, worktreeFacts } from '../worktrees/settle-worktree.js';
import type { NoticeInTransit } from './notice-holders.js';

export type NoticeFacts = {
  readonly taskId: string;
  readonly toolUseId: string | undefined;
  readonly agent: string;
  readonly status: 'completed' | 'failed' | 'stopped';
  readonly summary: string;
  readonly result: string;
  readonly usage: string;
  readonly outputFile: string;
  /** Omitted if it had no worktree of its own. */
  readonly worktree?: NoticeWorktree | undefined;
};

export type NoticeWorktree =
  | { readonly path: string; readonly branch: string; readonly why?: string | undefined }
  /** It no longer exists. */
  | { readonly removed: string };

/** Tags of a notice. A result must not contain them, or it could forge a status. */
const FIELDS = /<(?=\s*\/?\s*(?:task-id|tool-use-id|agent|status|summary|result|usage|output-file|worktree)[\s/>])/gi;
const MAX_SUMMARY = 300;

export function noticeText(facts: NoticeFacts): string {
  const toolUse = facts.toolUseId === undefined ? '' : `<tool-use-id>${oneLine(facts.toolUseId)}</tool-use-id>`;
  return `<task-notification>
<task-id>${oneLine(facts.taskId)}</task-id>${toolUse}<agent>${oneLine(facts.agent)}</agent>
<status>${facts.status}</status>
<summary>${oneLine(facts.summary.slice(0, MAX_SUMMARY).toWellFormed())}</summary>
<result>${requoteTags(facts.result).replace(FIELDS, '&lt;')}</result>
<usage>${oneLine(facts.usage)}</usage>
<output-file>${oneLine(facts.outputFile)}</output-file>${worktreeTag(facts.worktree)}
</task-notification>`;
}

function worktreeTag(tree: NoticeWorktree | undefined): string {
  if (tree === undefined) return '';
  if ('removed' in tree) return `<worktree removed="${oneLine(tree.removed)}"/>`;
  const why = tree.why === undefined ? '' : ` why="${oneLine(tree.why)}"`;
  return `<worktree path="${oneLine(tree.path)}" branch="${oneLine(tree.branch)}"${why}/>`;
}

/** A short field: one line, no markup. */
function oneLine(field: string): string {
  return escapeField(field.replace(/\s+/g, ' ').trim());
}

/** Describes whether the worktree was kept, and why. */
export function noticeWorktree(
  record: Pick<AgentSpawned, 'worktree'>,
  parent: Pick<AgentSpawned, 'worktree'> | undefined,
  settled: Settled | undefined,
): NoticeWorktree | undefined {
  const facts = worktreeFacts(record, parent, settled);
  if (facts !== undefined || settled === undefined) return facts;
  const isOwn = worktreeFacts(record, parent) !== undefined;
  return isOwn ? { removed: describeSettled(settled) } : undefined;
}

async function noticeOf(
  runtime: Runtime,
  agent: LiveAgent,
  { status: ended, result, settled }: EndedRun,
  warning: string | undefined,
): Promise<string> {
  const status = result.status === 'completed' ? 'completed' : ended === 'stopped' ? 'stopped' : 'failed';
  // If the full result can't be stored, the notice is still sent.
  const { content } = await boundResult(runtime, result).catch(() => result);
  const reply = content.trim() === '' && status === 'completed' ? NO_TEXT : content;
  const reason = result.status === 'failed' ? `${result.line}\n` : '';
  const tokens = inputTokens(result.usage) + result.usage.output;
  return noticeText({
    taskId: agent.id,
    toolUseId: agent.record.call,
    agent: agent.record.name ?? agent.type,
    status,
    summary: `${agent.record.description} ${status}`,
    result: `${warning === undefined ? '' : `[Hand-off check: ${warning}]\n`}${reason}${reply}`.trim(),
    usage: `tokens: ${tokens}, tool calls: ${result.toolUses}, duration: ${result.durationMs} ms`,
    outputFile: agent.output.path,
    worktree: noticeWorktree(agent.record, agent.parent?.record, settled),
  });
}

export async function deliverNotice(
  runtime: Runtime,
  from: LiveAgent | undefined,
  notice: string,
  key: NoticeKey,
): Promise<void> {
  await passOn(runtime, { key, blocks: [freezeBlock(text(notice))], to: from });
}

const TRIES = 5;
const FIRST_WAIT_MS = 200;

/**
 * Admits a notice to the parent or, if that has ended, to the nearest running ancestor; finally to the main agent,
 * whose inbox never closes. Retries, because a full disk may soon have room. Returns whether it was delivered;
 * otherwise it is held for the next prompt, and a resumed session delivers it.
 */
async function passOn(runtime: Runtime, notice: NoticeInTransit): Promise<boolean> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    if (tried > 0) await runtime.host.clock.sleep(FIRST_WAIT_MS * 2 ** (tried - 1));
    try {
      return await admit(runtime, notice);
    } catch (error) {
      const line = `a notice could not be saved: ${reasonOf(error)}`;
      const event = { kind: 'line-shown', level: 'error', line } as const;
      runtime.listeners.notify({ agent: notice.to?.id ?? '', seq: undefined, event });
      if (runtime.isClosing) return false;
    }
  }
  runtime.unreported.push(notice);
  return false;
}

/** Retries notices that could not be saved. */
export async function reportAgain(runtime: Runtime): Promise<void> {
  for (const notice of runtime.unreported.splice(0)) {
    const isDone = await admit(runtime, notice).catch(() => false);
    if (!isDone) runtime.unreported.push(notice);
  }
}

async function admit(runtime: Runtime, { key, blocks, to, passedBy }: NoticeInTransit): Promise<boolean> {
  for (let above = to; above !== undefined; above = above.parent) {
    // An agent being resumed gets it once it is running.
    await runtime.returning.get(above.id);
    // The parent may have ended and started another run since.
    const listener = runtime.agents.get(above.id) ?? above;
    if (!listener.isMain && !listener.isActive) continue;
    const enter = () => listener.inbox.admitFrozen({ origin: 'notice', key }, blocks);
    const outcome = await runtime.noticeHolders.give(key, listener.id, enter, passedBy);
    if (outcome === 'refused') continue;
    if (outcome === 'given' && listener.isMain) runtime.wakeMain();
    return true;
  }
  return false;
}

/** A hand-off check cut short by the end of the session is repeated on resume. */
export async function notifyParent(runtime: Runtime, agent: LiveAgent, ended: EndedRun): Promise<void> {
  const warning = await handOffWarning(runtime, agent);
  if (warning.kind === 'cut-short') return;
  const settled = await settleWorktree(runtime, agent, ended);
  const notice = await noticeOf(runtime, agent, settled, warning.kind === 'warned' ? warning.line : undefined);
  const to = agent.parent?.id ?? '';
  // If it can't be recorded, the parent must still be notified.
  const check = warning.paid === undefined ? {} : { check: warning.paid };
  await agent.emit({ kind: 'notice-queued', run: ended.run, to, text: notice, ...check }).catch(() => 0);
  await deliverNotice(runtime, agent.parent, notice, { agent: agent.id, run: ended.run });
}

/** Passes notices that came too late for an agent on to its parent. */
export async function passOnNotices(runtime: Runtime, agent: LiveAgent): Promise<void> {
  await agent.inbox.landed();
  const passed: number[] = [];
  for (const { seq, notice: key, blocks } of agent.inbox.notices()) {
    if (key === undefined) continue;
    if (await passOn(runtime, { key, blocks, to: agent.parent, passedBy: agent.id })) passed.push(seq);
  }
  if (passed.length > 0) await agent.emit({ kind: 'input-withdrawn', inputs: passed });
}
