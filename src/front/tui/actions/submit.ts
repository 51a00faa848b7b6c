/** Submits the editor's text: a prompt, a slash command, a shell command, a note. */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { isShellOrNote } from '../../commands/is-command.js';
import type { AgentView } from '../../view/agent-view.js';
import { agentLabel } from '../../view/tree/agent-label.js';
import { type Conversation, isActiveChild, isWorking, mainOf } from '../app/conversation.js';
import { sendPrompt, type When } from './send-prompt.js';
import { runShellOrNote } from './shell-and-note-line.js';
import { runTyped } from './typed-command.js';

export function submit(conversation: Conversation, when: When): void {
  const { ui, history } = conversation;
  const { text, images } = ui.editor;
  if (text.trim() === '' && images.length === 0) return void continueWork(conversation);
  history.add(text);
  ui.editor.set('');
  if (isShellOrNote(text)) return void runShellOrNote(conversation, text);
  if (text.startsWith('/')) return void runTyped(conversation, text, when);
  const written = parseAgentMessage(conversation, text);
  if (written !== undefined) return void sendToAgent(conversation, written);
  void sendPrompt(conversation, text, when, images);
}

/** Sends messages held since an interruption, or continues work that a crash cut off. */
function continueWork(conversation: Conversation): void {
  const { session, pending } = conversation;
  if (isWorking(conversation)) return;
  if (mainOf(conversation)?.queue.some(({ held }) => held)) return void session.execute({ type: 'send-held' });
  if (!pending.isCutOff) return;
  pending.isCutOff = false;
  void sendPrompt(conversation, CONTINUE_PROMPT, 'next');
}

const CONTINUE_PROMPT = 'go on';

type AgentMessage = { readonly to: AgentView; readonly words: string };

/** Undefined: the text does not begin with an agent. A file of the same name can be mentioned anywhere else. */
function parseAgentMessage({ view }: Conversation, text: string): AgentMessage | undefined {
  const [, quoted, bare, words = ''] = /^@(?:"([^"\n]+)"|([^\s"]+))\s+(\S[\s\S]*)$/.exec(text) ?? [];
  const name = quoted ?? bare;
  if (name === undefined) return undefined;
  // Of several with the same name, the latest.
  const to = [...view.agents.values()].findLast((agent) => agent.parent !== undefined && agentLabel(agent) === name);
  return to && { to, words };
}

async function sendToAgent({ session, printer, ui }: Conversation, { to, words }: AgentMessage): Promise<void> {
  const label = agentLabel(to);
  const done = await session.execute({ type: 'message', agent: to.id, text: words });
  const how = isActiveChild(to) ? 'read between its turns' : 'continues in the background';
  if (done.ok) printer.say('info', stripControls(`to ${label}: ${words}\n(${how})`));
  else printer.say('error', stripControls(`Not sent to ${label}: ${done.reason}`));
  ui.paint();
}
