/** A content block as bytes: serialised once, when it is made, and never again. */

import type { ContentBlock, Role } from './blocks.js';
import { sliceMembers } from './json/json-slices.js';

export type FrozenBlock = {
  readonly type: ContentBlock['type'];
  /** The block's JSON, without a cache marker. */
  readonly bytes: Uint8Array;
  /** False for thinking, where the API refuses a cache marker. */
  readonly takesBreakpoint: boolean;
};

export type FrozenMessage = { readonly role: Role; readonly blocks: readonly FrozenBlock[] };

export function freezeBlock(block: ContentBlock): FrozenBlock {
  return frozen(block.type, encode(JSON.stringify(block, wellFormed)));
}

/** Preserves the input's text as the model wrote it: serialising it again could reorder its keys. */
export function freezeToolUse(id: string, name: string, inputJson: string): FrozenBlock {
  const head = JSON.stringify({ type: 'tool_use', id, name }, wellFormed);
  // Line breaks in JSON are white space. A record is one line, and stored and sent bytes must be identical.
  const input = inputJson.replace(/[\r\n]/g, ' ');
  return frozen('tool_use', encode(`${head.slice(0, -1)},"input":${input}}`));
}

/** A block read from a record or a stored prefix, with its bytes unchanged. */
export function thawBlock(bytes: Uint8Array): FrozenBlock {
  const type = sliceMembers(bytes).get('type');
  if (type === undefined) throw new Error('a content block without a type');
  return frozen(JSON.parse(decode(bytes.subarray(type.start, type.end))) as ContentBlock['type'], bytes);
}

/** The API refuses text blocks that contain only white space, so they never enter a history. */
export function isBlankText(block: ContentBlock): boolean {
  return block.type === 'text' && block.text.trim() === '';
}

export function parseBlock(block: FrozenBlock): ContentBlock {
  return JSON.parse(decode(block.bytes)) as ContentBlock;
}

function encode(text: string): Uint8Array {
  return encoder.encode(text);
}

export function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function frozen(type: ContentBlock['type'], bytes: Uint8Array): FrozenBlock {
  return { type, bytes, takesBreakpoint: type !== 'thinking' && type !== 'redacted_thinking' };
}

/** The API refuses a body with a lone surrogate. */
function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

/** The id of a call, or of the call that a result answers; undefined for other blocks, and if it can't be read. */
export function toolIdOf(block: FrozenBlock): string | undefined {
  return textMember(block, block.type === 'tool_use' ? 'id' : 'tool_use_id');
}

export function toolNameOf(block: FrozenBlock): string {
  return textMember(block, 'name') ?? '';
}

export function withToolId(block: FrozenBlock, id: string): FrozenBlock {
  const at = sliceMembers(block.bytes).get(block.type === 'tool_use' ? 'id' : 'tool_use_id');
  if (at === undefined) return block;
  const { bytes } = block;
  return {
    ...block,
    bytes: concat(bytes.subarray(0, at.start), encode(JSON.stringify(id)), bytes.subarray(at.end)),
  };
}

export function callsIn(messages: Iterable<FrozenMessage>): string[] {
  const ids: string[] = [];
  for (const { blocks } of messages) {
    for (const block of blocks) {
      const id = block.type === 'tool_use' ? toolIdOf(block) : undefined;
      if (id !== undefined) ids.push(id);
    }
  }
  return ids;
}

function textMember(block: FrozenBlock, name: string): string | undefined {
  if (block.type !== 'tool_use' && block.type !== 'tool_result') return undefined;
  try {
    const at = sliceMembers(block.bytes).get(name);
    const value: unknown = at && JSON.parse(decode(block.bytes.subarray(at.start, at.end)));
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

function concat(...pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

export function isErrorResult(block: FrozenBlock): boolean {
  const result = parseBlock(block);
  return result.type === 'tool_result' && result.is_error === true;
}
