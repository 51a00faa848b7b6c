/** Checks whether the API would accept a single block, and offers a replacement if possible. */

import type { Role } from '../../protocol/blocks.js';
import { type FrozenBlock, freezeBlock } from '../../protocol/frozen-block.js';
import { isObject, type JsonObject } from '../../protocol/json/json-values.js';

export type BlockFault = {
  readonly reason: string;
  /** The replacement; undefined means the block is left out. */
  readonly instead?: FrozenBlock;
};

const ID = /^[a-zA-Z0-9_-]+$/;
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const strict = new TextDecoder('utf-8', { fatal: true });

export function checkBlock(block: FrozenBlock, role: Role): BlockFault | undefined {
  let fields: JsonObject;
  let json: string;
  try {
    json = strict.decode(block.bytes);
    const parsed: unknown = JSON.parse(json);
    if (typeof parsed !== 'object' || parsed === null) return { reason: 'a block that is not an object' };
    fields = parsed as JsonObject;
  } catch {
    return { reason: 'a block that is not valid JSON' };
  }
  if (!(role === 'user' ? USER : ASSISTANT).has(block.type))
    return { reason: `${block.type} in a message of the ${role}` };
  const reason = checkFields(block.type, fields);
  if (reason !== undefined) return { reason };
  // JSON writes a lone surrogate as an escape, so text without such escapes needs no further check.
  if (!ESCAPED_SURROGATE.test(json) || isWellFormed(fields)) return undefined;
  return { reason: 'half of a character', ...wellFormed(block, fields) };
}

const USER = new Set<string>(['text', 'image', 'document', 'tool_result']);
const ASSISTANT = new Set<string>(['text', 'thinking', 'redacted_thinking', 'tool_use']);
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;

function checkFields(type: FrozenBlock['type'], fields: JsonObject): string | undefined {
  switch (type) {
    case 'text':
      return typeof fields.text === 'string' && fields.text.trim() !== '' ? undefined : 'an empty text';
    case 'thinking':
      return typeof fields.thinking === 'string' && typeof fields.signature === 'string'
        ? undefined
        : 'broken thinking';
    case 'redacted_thinking':
      return typeof fields.data === 'string' ? undefined : 'broken thinking';
    case 'tool_use':
      return matches(fields.id, ID) && matches(fields.name, NAME) && isObject(fields.input)
        ? undefined
        : 'a broken call';
    case 'tool_result':
      return matches(fields.tool_use_id, ID) && isContent(fields) ? undefined : 'a broken result';
    case 'image':
    case 'document':
      return isObject(fields.source) ? undefined : `a broken ${type}`;
    default:
      return type satisfies never;
  }
}

function isContent({ content, is_error }: JsonObject): boolean {
  if (content === undefined || typeof content === 'string') return true;
  return (
    Array.isArray(content) &&
    content.every(
      (inner) =>
        isObject(inner) &&
        (inner.type === 'text'
          ? typeof inner.text === 'string' && inner.text.trim() !== ''
          : isObject(inner.source) && is_error !== true),
    )
  );
}

function wellFormed(block: FrozenBlock, fields: JsonObject): { instead?: FrozenBlock } {
  // Signed thinking can't be changed, only left out.
  return block.takesBreakpoint ? { instead: freezeBlock(fields as Parameters<typeof freezeBlock>[0]) } : {};
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  return !isObject(value) || Object.entries(value).every(([name, inner]) => name.isWellFormed() && isWellFormed(inner));
}

function matches(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}
