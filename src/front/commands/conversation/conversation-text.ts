/** The current conversation as readable text (prompts, replies, calls), for a file or the clipboard. */

import { type FrozenBlock, parseBlock } from '../../../protocol/frozen-block.js';
import type { Session } from '../../sdk/session.js';
import { describeCall } from '../../view/describe/describe-call.js';
import { readInput } from '../../view/items/read-input.js';

/** Reads the texts of the main agent's replies, oldest first. Text between calls is a separate reply. */
export async function readReplies(session: Session): Promise<readonly string[]> {
  const replies: string[] = [];
  for await (const { event } of session.conversation()) {
    if (event.kind !== 'assistant-replied') continue;
    const text = textOf(event.blocks);
    if (text !== '') replies.push(text);
  }
  return replies;
}

/** Yields the conversation as Markdown in pieces: it may be too long to hold in memory at once. */
export async function* toMarkdown(session: Session): AsyncGenerator<string> {
  yield `# ${session.name ?? `Session ${session.id}`}\n`;
  let speaker = '';
  for await (const { seq, event } of session.conversation()) {
    if (event.kind === 'input-admitted' && event.origin === 'person') {
      const prompt = readInput(event, seq);
      if (prompt?.kind !== 'prompt') continue;
      speaker = 'You';
      const attached = prompt.attached === 0 ? '' : `\n*(attached: ${prompt.attached})*\n`;
      yield `\n## You\n\n${prompt.text}\n${attached}`;
    } else if (event.kind === 'assistant-replied') {
      const text = textOf(event.blocks);
      const calls = callsIn(event.blocks);
      if (text === '' && calls.length === 0) continue;
      if (speaker !== 'Coppice') yield '\n## Coppice\n';
      speaker = 'Coppice';
      if (text !== '') yield `\n${text}\n`;
      if (calls.length > 0) yield `\n${calls.map((call) => `- \`${call.replaceAll('`', "'")}\`\n`).join('')}`;
    } else if (event.kind === 'history-compacted') {
      yield '\n*(The conversation up to here was compacted.)*\n';
    }
  }
}

function textOf(blocks: readonly FrozenBlock[]): string {
  const texts = blocks.map(parseBlock).flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return texts.join('\n\n').trim();
}

function callsIn(blocks: readonly FrozenBlock[]): readonly string[] {
  return blocks
    .map(parseBlock)
    .flatMap((block) => (block.type === 'tool_use' ? [describeCall(block.name, block.input)] : []));
}
