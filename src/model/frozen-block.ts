/** A content block as bytes: serialised once, when it is made, and never again. */

import type { ContentBlock } from '../protocol/blocks.js';
import { sliceMembers } from '../protocol/json-slices.js';

export type FrozenBlock = {
  readonly type: ContentBlock['type'];
  /** The block's JSON, without a cache marker. */
  readonly bytes: Buffer;
  /** May carry a cache marker: not thinking, which the API refuses there. */
  readonly markable: boolean;
};

export function freezeBlock(block: ContentBlock): FrozenBlock {
  return frozen(block.type, Buffer.from(JSON.stringify(block, wellFormed)));
}

/** The input's own text is kept as the model wrote it: parsing and writing anew could change the order of its keys. */
export function freezeToolUse(id: string, name: string, inputJson: string): FrozenBlock {
  const head = JSON.stringify({ type: 'tool_use', id, name }, wellFormed);
  return frozen('tool_use', Buffer.from(`${head.slice(0, -1)},"input":${inputJson}}`));
}

/** A block taken out of a record or a stored prefix: the bytes are used as they are. */
export function thawBlock(bytes: Buffer): FrozenBlock {
  const type = sliceMembers(bytes).get('type');
  if (type === undefined) throw new Error('a content block without a type');
  return frozen(JSON.parse(bytes.toString('utf8', type.start, type.end)) as ContentBlock['type'], bytes);
}

/** The API refuses text blocks that hold nothing but white space, so they never enter a history. */
export function isBlank(block: ContentBlock): boolean {
  return block.type === 'text' && block.text.trim() === '';
}

export function parseBlock(block: FrozenBlock): ContentBlock {
  return JSON.parse(block.bytes.toString('utf8')) as ContentBlock;
}

function frozen(type: ContentBlock['type'], bytes: Buffer): FrozenBlock {
  return { type, bytes, markable: type !== 'thinking' && type !== 'redacted_thinking' };
}

/** Half of a surrogate pair is no character; the API refuses a body that holds one. */
function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}
