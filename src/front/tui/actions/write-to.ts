/** `@name words`: written to this agent, not to the main one (LC-12). */

import { stripUnsafe } from '../../../gate/permissions/strip-unsafe.js';
import type { AgentView } from '../../view/agent-view.js';
import { agentLabel } from '../../view/tree/agent-label.js';
import { type Conversation, isChildAtWork } from '../app/conversation.js';

export type Written = { readonly to: AgentView; readonly words: string };

/** Undefined: no agent is named at its beginning. A file of the same name can be named anywhere else. */
export function writtenTo({ view }: Conversation, text: string): Written | undefined {
  const [, quoted, bare, words = ''] = /^@(?:"([^"\n]+)"|([^\s"]+))\s+(\S[\s\S]*)$/.exec(text) ?? [];
  const name = quoted ?? bare;
  if (name === undefined) return undefined;
  // Of several with a name, the one that was started last.
  const to = [...view.agents.values()].findLast((agent) => agent.parent !== undefined && agentLabel(agent) === name);
  return to && { to, words };
}

export async function writeTo({ session, teller, ui }: Conversation, { to, words }: Written): Promise<void> {
  const label = agentLabel(to);
  const done = await session.execute({ type: 'message', agent: to.id, text: words });
  const how = isChildAtWork(to) ? 'it reads this between its turns' : 'it goes on with this in the background';
  if (done.ok) teller.say('info', stripUnsafe(`to ${label}: ${words}\n(${how})`));
  else teller.say('error', stripUnsafe(`Nothing was sent to ${label}: ${done.reason}`));
  ui.paint();
}
