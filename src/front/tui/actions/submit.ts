/** What Enter does with the editor's text: a prompt, a command, a shell line, a line to remember. */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { isShellOrNote } from '../../commands/is-command.js';
import type { AgentView } from '../../view/agent-view.js';
import { agentLabel } from '../../view/tree/agent-label.js';
import { type Conversation, isChildAtWork, isWorking, mainOf } from '../app/conversation.js';
import { sendPrompt, type When } from './send-prompt.js';
import { runShellOrNote } from './shell-and-note-line.js';
import { runTyped } from './typed-command.js';

export function submit(conversation: Conversation, when: When): void {
  const { ui, history } = conversation;
  const { text, images } = ui.editor;
  if (text.trim() === '' && images.length === 0) return void goOn(conversation);
  history.add(text);
  ui.editor.set('');
  if (isShellOrNote(text)) return void runShellOrNote(conversation, text);
  if (text.startsWith('/')) return void runTyped(conversation, text, when);
  const written = writtenTo(conversation, text);
  if (written !== undefined) return void writeTo(conversation, written);
  void sendPrompt(conversation, text, when, images);
}

/** After an interruption, what was sent for the end of the turn waits for this; so does work that a crash has cut off. */
function goOn(conversation: Conversation): void {
  const { session, pending } = conversation;
  if (isWorking(conversation)) return;
  if (mainOf(conversation)?.queue.some(({ held }) => held)) return void session.execute({ type: 'send-held' });
  if (!pending.isCutOff) return;
  pending.isCutOff = false;
  void sendPrompt(conversation, GO_ON, 'next');
}

const GO_ON = 'go on';

type Written = { readonly to: AgentView; readonly words: string };

/** Undefined: no agent is named at its beginning. A file of the same name can be named anywhere else. */
function writtenTo({ view }: Conversation, text: string): Written | undefined {
  const [, quoted, bare, words = ''] = /^@(?:"([^"\n]+)"|([^\s"]+))\s+(\S[\s\S]*)$/.exec(text) ?? [];
  const name = quoted ?? bare;
  if (name === undefined) return undefined;
  // Of several with a name, the one that was started last.
  const to = [...view.agents.values()].findLast((agent) => agent.parent !== undefined && agentLabel(agent) === name);
  return to && { to, words };
}

async function writeTo({ session, printer, ui }: Conversation, { to, words }: Written): Promise<void> {
  const label = agentLabel(to);
  const done = await session.execute({ type: 'message', agent: to.id, text: words });
  const how = isChildAtWork(to) ? 'it reads this between its turns' : 'it goes on with this in the background';
  if (done.ok) printer.say('info', stripControls(`to ${label}: ${words}\n(${how})`));
  else printer.say('error', stripControls(`Nothing was sent to ${label}: ${done.reason}`));
  ui.paint();
}
