/** The cache identity of a block: a hash of its content, independent of formatting, and an estimate of its tokens. */

import { createHash } from 'node:crypto';
import { isObject, type JsonObject, textOf } from '../json-value.js';
import { contentBlocks } from '../scenario/api-turns.js';

export type BlockKey = { readonly hash: string; readonly tokens: number };

/** The usual estimate: about four characters per token. */
const CHARACTERS_PER_TOKEN = 4;
const IMAGE_BYTES_PER_TOKEN = 750;
const IMAGE_TOKENS = { least: 64, most: 1_600 };
const PDF_BYTES_PER_TOKEN = 100;

/** `context` separates equal content in different positions: the level, or the role. */
export function blockKey(context: string, block: JsonObject): BlockKey {
  return { hash: hashOf(`${context}\0${canonical(block)}`), tokens: blockTokens(block) };
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/**
 * The content of a block as one string, without cache markers. The order of the block's own keys does not matter. The
 * order inside a tool's input or schema does, because the model sees it in that order.
 */
function canonical(block: JsonObject): string {
  switch (block.type) {
    case 'text':
      return `text\0${textOf(block.text)}`;
    case 'thinking':
      return `thinking\0${textOf(block.signature)}\0${textOf(block.thinking)}`;
    case 'tool_use':
      return `tool_use\0${textOf(block.id)}\0${textOf(block.name)}\0${JSON.stringify(block.input)}`;
    case 'tool_result': {
      const parts = contentBlocks(block.content).map(canonical).join('\x01');
      return `tool_result\0${textOf(block.tool_use_id)}\0${block.is_error === true}\0${parts}`;
    }
    default: {
      const entries = Object.entries(block).filter(([name]) => name !== 'cache_control');
      return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
    }
  }
}

export function blockTokens(block: JsonObject): number {
  switch (block.type) {
    case 'text':
      return textTokens(textOf(block.text));
    case 'thinking':
      return textTokens(textOf(block.thinking));
    case 'tool_use':
      return textTokens(textOf(block.name)) + textTokens(JSON.stringify(block.input ?? {}));
    case 'tool_result':
      return contentBlocks(block.content).reduce((sum, inner) => sum + blockTokens(inner), 2);
    case 'image':
      return Math.min(
        IMAGE_TOKENS.most,
        Math.max(IMAGE_TOKENS.least, Math.ceil(sourceBytes(block) / IMAGE_BYTES_PER_TOKEN)),
      );
    case 'document':
      return Math.max(1, Math.ceil(sourceBytes(block) / PDF_BYTES_PER_TOKEN));
    default: {
      const { cache_control: _, ...content } = block;
      return textTokens(JSON.stringify(content));
    }
  }
}

function textTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

function sourceBytes(block: JsonObject): number {
  return isObject(block.source) ? (textOf(block.source.data).length * 3) / 4 : 0;
}
