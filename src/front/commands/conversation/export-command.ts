/** `/export`: the conversation as a Markdown file. */

import { resolve } from 'node:path';
import { errorCode } from '../../../host/files.js';
import { nodeHost } from '../../../host/node-host.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import { reasonOf } from '../../../protocol/reason-of.js';
import type { CommandContext } from '../command-context.js';
import { toMarkdown } from './conversation-text.js';

/** Writes the file; an existing one is overwritten only after a yes. */
export async function exportConversation(
  { session, say, ask }: Pick<CommandContext, 'session' | 'say' | 'ask'>,
  wanted: string,
): Promise<void> {
  if (!session.isSaved) return say('Nothing to export yet.');
  const { files } = nodeHost(session.cwd);
  const file = resolve(session.cwd, wanted === '' ? `coppice-${session.id}.md` : wanted);
  const shown = escapeToLine(file);
  const pieces: string[] = [];
  for await (const piece of toMarkdown(session)) pieces.push(piece);
  try {
    try {
      await files.create(file, pieces.join(''));
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      const answer = await ask(`${shown} already exists. Overwrite it? (y/n)`);
      if (!/^y(?:es)?$/i.test(answer?.trim() ?? '')) return say('Nothing written.');
      await files.replace(file, pieces.join(''));
    }
    say(`Written to ${shown}.`);
  } catch (error) {
    say(escapeToLine(`Can't write ${file}: ${reasonOf(error)}`));
  }
}
