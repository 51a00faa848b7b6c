/** After the result of a run: the fixed order of what follows, each step on record before the next. */

import type { Member } from '../live-agent.js';
import { deliverNotice, noticeOf, passOn } from '../notices/notice.js';
import type { Runtime } from '../runtime.js';
import type { EndedRun } from './ended-run.js';
import { handOffWarning } from './hand-off.js';

export async function concludeRun(runtime: Runtime, member: Member, ended: EndedRun): Promise<void> {
  try {
    if (ended.background && ended.state !== 'interrupted') await tellParent(runtime, member, ended);
    if (ended.state !== 'interrupted') await passOnNotices(runtime, member);
  } finally {
    await member.output.close();
    await member.transcript.release().catch(() => {});
  }
}

/** Hand-off check, then the notice. A check cut short by the end of the session is made again when it is resumed. */
async function tellParent(runtime: Runtime, member: Member, ended: EndedRun): Promise<void> {
  const warning = await handOffWarning(runtime, member);
  if (warning.kind === 'cut-short') return;
  const notice = await noticeOf(runtime, member, ended, warning.kind === 'warned' ? warning.line : undefined);
  const to = member.parent?.agent.id ?? '';
  // A transcript that takes no more records is no reason to keep the end from the parent.
  await member.agent.emit({ kind: 'notice-queued', run: ended.run, to, text: notice }).catch(() => 0);
  await deliverNotice(runtime, member.parent, notice, { agent: member.agent.id, run: ended.run });
}

/** Notices that reached an agent too late to be read go to its parent. */
async function passOnNotices(runtime: Runtime, member: Member): Promise<void> {
  await member.agent.inbox.landed();
  for (const input of member.agent.inbox.takeNotices()) await passOn(runtime, member.parent, input);
}
