/** `@name words`: written to this agent, not to the main one (LC-12). */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
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

export async function writeTo({ session, printer, ui }: Conversation, { to, words }: Written): Promise<void> {
  const label = agentLabel(to);
  const done = await session.execute({ type: 'message', agent: to.id, text: words });
  const how = isChildAtWork(to) ? 'it reads this between its turns' : 'it goes on with this in the background';
  if (done.ok) printer.say('info', stripControls(`to ${label}: ${words}\n(${how})`));
  else printer.say('error', stripControls(`Nothing was sent to ${label}: ${done.reason}`));
  ui.paint();
}
