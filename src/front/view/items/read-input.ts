/** Turns an agent's input into an item: a prompt of the user, a message of another agent, the end of a task. */

import type { ContentBlock } from '../../../protocol/blocks.js';
import type { DurableEventOf } from '../../../protocol/events.js';
import { type FrozenBlock, parseBlock } from '../../../protocol/frozen-block.js';
import { restoreTags } from '../../../protocol/tags.js';
import { readNotice } from '../read-notice.js';
import type { Item } from './item.js';

/** Undefined: internal and not shown (reminders, results that replace the parent's calls). */
export function readInput(event: DurableEventOf<'input-admitted'>, seq: number): Item | undefined {
  const { origin, blocks } = event;
  switch (origin) {
    case 'person':
      return readPrompt(blocks, seq);
    case 'notice': {
      const { status, summary } = readNotice(blocks);
      return { kind: 'notice', agent: event.notice?.agent ?? '', status, text: summary };
    }
    case 'message':
      return readMessage(event, seq);
    case 'fork-directive':
      return { kind: 'message', seq, from: 'parent', text: restoreTags(withoutBoilerplate(textOfBlocks(blocks))) };
    case 'hook':
      return { kind: 'message', seq, from: 'hook', text: restoreTags(unwrapped(textOfBlocks(blocks))) };
    case 'reminder':
    case 'shell':
    case 'fork-placeholders':
      return undefined;
    default:
      return origin satisfies never;
  }
}

/** Our additions to a prompt are left out; a file that it names is counted as attached. */
function readPrompt(blocks: readonly FrozenBlock[], seq: number): Item {
  const texts: string[] = [];
  let attached = 0;
  for (const block of blocks.map(parseBlock)) {
    if (block.type === 'image' || block.type === 'document') attached += 1;
    else if (block.type === 'text' && !block.text.startsWith(REMINDER)) texts.push(block.text);
    else if (block.type === 'text' && ATTACHED.test(block.text)) attached += 1;
  }
  return { kind: 'prompt', seq, text: texts.join('\n'), attached };
}

const REMINDER = '<system-reminder>';
const ATTACHED = /^<system-reminder>\n.* is attached \(/;

function readMessage({ key, blocks }: DurableEventOf<'input-admitted'>, seq: number): Item {
  const words = textOfBlocks(blocks);
  const found = /^<agent-message from="([^"\n]*)">\n([\s\S]*)\n<\/agent-message>/.exec(words);
  if (found === null || key === 'task') return { kind: 'message', seq, from: 'parent', text: restoreTags(words) };
  const [, name = '', text = ''] = found;
  return { kind: 'message', seq, from: 'agent', name: unescapeName(name), text: restoreTags(text) };
}

function unescapeName(name: string): string {
  return name.replace(/&(lt|gt|quot|amp);/g, (_, entity: string) => ENTITIES[entity] ?? '');
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };

/** Removes the fixed text that precedes a fork's directive. */
function withoutBoilerplate(words: string): string {
  const end = words.indexOf(BOILERPLATE_END);
  return end === -1 ? words : words.slice(end + BOILERPLATE_END.length).trim();
}

const BOILERPLATE_END = '</fork-boilerplate>';

function unwrapped(words: string): string {
  return /^<system-reminder>\n([\s\S]*)\n<\/system-reminder>$/.exec(words)?.[1] ?? words;
}

function textOfBlocks(blocks: readonly FrozenBlock[]): string {
  return blocks.map(parseBlock).flatMap(textOf).join('\n');
}

function textOf(block: ContentBlock): readonly string[] {
  return block.type === 'text' ? [block.text] : [];
}
