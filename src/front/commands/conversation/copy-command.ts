/** `/copy`: copies a reply of the main agent, verbatim, to the clipboard. */

import { nodeHost } from '../../../host/node-host.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import { plural } from '../../../protocol/format-numbers.js';
import type { CommandContext } from '../command-context.js';
import { copyWith, findCopyTool } from './clipboard.js';
import { readReplies } from './conversation-text.js';

/** `place` counts from the end: 1 is the last reply. */
export async function copyReply(
  { session, say, ui }: Pick<CommandContext, 'session' | 'say' | 'ui'>,
  place: string,
): Promise<void> {
  const number = place === '' ? 1 : Number(place);
  if (!Number.isInteger(number) || number < 1) return say('Use /copy, or /copy N for the Nth last reply.');
  const replies = session.isSaved ? await readReplies(session) : [];
  const reply = replies.at(-number);
  if (reply === undefined) {
    return say(replies.length === 0 ? 'No reply yet.' : `There are only ${replies.length} replies.`);
  }
  if (ui !== undefined) return say(await ui.copy(reply));
  const host = nodeHost(session.cwd);
  const tool = await findCopyTool(host);
  if (tool === undefined) return say('No clipboard found. /export FILE writes the conversation to a file instead.');
  const reason = await copyWith(host, tool, reply);
  const lines = reply.split('\n').length;
  say(reason === undefined ? `Copied (${plural(lines, 'line')})` : escapeToLine(`Not copied: ${reason}`));
}
