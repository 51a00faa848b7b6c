/** Messages as the API reads them: adjacent messages of one role are one turn; a string is one text block. */

import { arrayOf, isObject, type JsonObject, textOf } from '../json-value.js';

export type LocatedBlock = {
  readonly block: JsonObject;
  /** Its path in the request: `messages.3.content.0`. */
  readonly path: string;
  /** The index of its message. */
  readonly message: number;
};

export type ApiTurn = { readonly role: string; readonly blocks: readonly LocatedBlock[] };

export function apiTurns(messages: unknown): readonly ApiTurn[] {
  return joinTurns(messages, () => true);
}

/** The turns of user and model, without the system messages between them. */
export function spokenTurns(messages: unknown): readonly ApiTurn[] {
  return joinTurns(messages, (role) => role !== SYSTEM);
}

export const SYSTEM = 'system';

function joinTurns(messages: unknown, includes: (role: string) => boolean): readonly ApiTurn[] {
  const turns: { role: string; blocks: LocatedBlock[] }[] = [];
  arrayOf(messages).forEach((message, index) => {
    if (!isObject(message)) return;
    const role = textOf(message.role);
    if (!includes(role)) return;
    const blocks = contentBlocks(message.content).map((block, position) => ({
      block,
      path: `messages.${index}.content.${position}`,
      message: index,
    }));
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else turns.push({ role, blocks });
  });
  return turns;
}

/** Converts content (a string or blocks) to blocks. An empty string gives none. */
export function contentBlocks(content: unknown): readonly JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return arrayOf(content).filter(isObject);
}

export function blocksOfType(turn: ApiTurn | undefined, type: string): readonly LocatedBlock[] {
  return turn?.blocks.filter(({ block }) => block.type === type) ?? [];
}

/** The text of a block, or of the content of a tool result. */
export function blockText(block: JsonObject): string {
  if (block.type === 'text') return textOf(block.text);
  if (block.type !== 'tool_result') return '';
  return contentBlocks(block.content)
    .map((inner) => (inner.type === 'text' ? textOf(inner.text) : `[${textOf(inner.type)}]`))
    .join('\n');
}
