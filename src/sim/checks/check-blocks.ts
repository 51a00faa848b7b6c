/** Checks each content block of a request: a known type, in a valid position, complete, not empty. */

import { arrayOf, isObject, type JsonObject, textOf } from '../json-value.js';
import { SYSTEM } from '../scenario/api-turns.js';
import { checkSearchBlock } from './check-search.js';
import { checkSource } from './check-source.js';
import { TOOL_NAME } from './check-tools.js';
import { firstProblem, invalid, type Problem } from './problem.js';

/** The block types we check, and their allowed fields. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ['type', 'text', 'cache_control', 'citations'],
  image: ['type', 'source', 'cache_control', 'transformations'],
  document: ['type', 'source', 'title', 'context', 'citations', 'cache_control'],
  thinking: ['type', 'thinking', 'signature'],
  redacted_thinking: ['type', 'data'],
  tool_use: ['type', 'id', 'name', 'input', 'caller', 'toolset_name', 'cache_control'],
  tool_result: ['type', 'tool_use_id', 'content', 'is_error', 'toolset_name', 'cache_control'],
};

/** Block types of tools that the API runs itself. Of these, only those of a search are checked. */
const SERVER_KINDS =
  /^(server_tool_use|search_result|container_upload|compaction|mcp_tool_use|tool_reference|browser_state|\w+_tool_result)$/;

const USER_ONLY = new Set(['image', 'document', 'tool_result']);
const ASSISTANT_ONLY = new Set(['thinking', 'redacted_thinking', 'tool_use']);
const MESSAGE_FIELDS = new Set(['role', 'content']);
const SYSTEM_FIELDS = new Set(['role', 'content', 'output_config', 'clear_at']);
const TOOL_ID = /^[a-zA-Z0-9_-]+$/;

export function checkBlocks(body: JsonObject): Problem | undefined {
  return checkSystem(body.system) ?? checkMessages(arrayOf(body.messages));
}

function checkSystem(system: unknown): Problem | undefined {
  if (system === undefined || typeof system === 'string') return undefined;
  if (!Array.isArray(system)) return invalid('system: Input should be a valid list');
  return firstProblem(system, (block, index) => {
    if (!isObject(block) || block.type !== 'text') return invalid(`system.${index}.type: Input should be 'text'`);
    return checkFields(block, `system.${index}`) ?? checkText(block, `system.${index}`, 'system');
  });
}

function checkMessages(messages: readonly unknown[]): Problem | undefined {
  return firstProblem(messages, (message, index) => checkMessage(message, index, messages.length));
}

function checkMessage(message: unknown, index: number, count: number): Problem | undefined {
  if (!isObject(message)) return undefined;
  const path = `messages.${index}`;
  const fields = message.role === SYSTEM ? SYSTEM_FIELDS : MESSAGE_FIELDS;
  const extra = Object.keys(message).find((name) => !fields.has(name));
  if (extra !== undefined) return invalid(`${path}.${extra}: Extra inputs are not permitted`);
  const { content } = message;
  if (content === undefined) return invalid(`${path}.content: Field required`);
  if (typeof content !== 'string' && !Array.isArray(content)) {
    return invalid(`${path}.content: Input should be a valid list`);
  }
  if (content.length === 0) {
    if (message.role === 'assistant' && index + 1 === count) return undefined;
    if (message.role === SYSTEM && message.output_config !== undefined) return undefined;
    return invalid(`${path}: all messages must have non-empty content except for the optional final assistant message`);
  }
  if (typeof content === 'string') return checkText({ type: 'text', text: content }, path, 'messages');
  return firstProblem(content, (block, index) => checkBlock(block, `${path}.content.${index}`, textOf(message.role)));
}

function checkBlock(block: unknown, path: string, role: string): Problem | undefined {
  if (!isObject(block)) return invalid(`${path}: Input should be a valid dictionary or object`);
  if (block.type === undefined) return invalid(`${path}.type: Field required`);
  const kind = textOf(block.type);
  if (!FIELDS[kind]) return SERVER_KINDS.test(kind) ? checkSearchBlock(block, path, role) : unknownKind(path, kind);
  if (role === SYSTEM && kind !== 'text') {
    return invalid(`${path}: \`${kind}\` blocks cannot be in \`system\` messages`);
  }
  if (role === 'user' && ASSISTANT_ONLY.has(kind)) {
    return invalid(`${path}: \`${kind}\` blocks can only be in \`assistant\` messages`);
  }
  if (role === 'assistant' && USER_ONLY.has(kind)) {
    return invalid(`${path}: \`${kind}\` blocks can only be in \`user\` messages`);
  }
  return checkFields(block, `${path}.${kind}`) ?? checkKind(block, kind, path);
}

function unknownKind(path: string, kind: string): Problem {
  const tags = Object.keys(FIELDS)
    .sort()
    .map((name) => `'${name}'`);
  return invalid(
    `${path}: Input tag '${kind}' found using 'type' does not match any of the expected tags: ${tags.join(', ')}`,
  );
}

function checkFields(block: JsonObject, path: string): Problem | undefined {
  const fields = FIELDS[textOf(block.type)] ?? [];
  const extra = Object.keys(block).find((name) => !fields.includes(name));
  return extra === undefined ? undefined : invalid(`${path}.${extra}: Extra inputs are not permitted`);
}

function checkKind(block: JsonObject, kind: string, path: string): Problem | undefined {
  switch (kind) {
    case 'text':
      return checkText(block, path, 'messages');
    case 'image':
    case 'document':
      return checkSource(block, `${path}.${kind}`);
    case 'thinking':
      return checkStrings(block, `${path}.thinking`, ['thinking', 'signature']);
    case 'redacted_thinking':
      return checkStrings(block, `${path}.redacted_thinking`, ['data']);
    case 'tool_use':
      return checkToolUse(block, `${path}.tool_use`);
    default:
      return checkToolResult(block, `${path}.tool_result`);
  }
}

function checkText(block: JsonObject, path: string, where: 'system' | 'messages'): Problem | undefined {
  if (typeof block.text !== 'string') return invalid(`${path}.text.text: Field required`);
  if (block.text === '') return invalid(`${where}: text content blocks must be non-empty`);
  if (where === 'messages' && !/\S/.test(block.text)) {
    return invalid('messages: text content blocks must contain non-whitespace text');
  }
  return undefined;
}

function checkStrings(block: JsonObject, path: string, names: readonly string[]): Problem | undefined {
  const missing = names.find((name) => typeof block[name] !== 'string');
  return missing === undefined ? undefined : invalid(`${path}.${missing}: Field required`);
}

function checkToolUse(block: JsonObject, path: string): Problem | undefined {
  const missing = checkStrings(block, path, ['id', 'name']);
  if (missing) return missing;
  if (!TOOL_ID.test(textOf(block.id))) return invalid(`${path}.id: String should match pattern '${TOOL_ID.source}'`);
  if (!TOOL_NAME.test(textOf(block.name))) {
    return invalid(`${path}.name: String should match pattern '${TOOL_NAME.source}'`);
  }
  if (block.input === undefined) return invalid(`${path}.input: Field required`);
  return isObject(block.input) ? undefined : invalid(`${path}.input: Input should be a valid dictionary`);
}

function checkToolResult(block: JsonObject, path: string): Problem | undefined {
  const missing = checkStrings(block, path, ['tool_use_id']);
  if (missing) return missing;
  const { content } = block;
  if (content === undefined || typeof content === 'string') return undefined;
  if (!Array.isArray(content)) return invalid(`${path}.content: Input should be a valid list`);
  return firstProblem(content, (inner, index) => {
    const here = `${path}.content.${index}`;
    if (isObject(inner) && block.is_error === true && inner.type !== 'text') {
      return invalid(`${path}: all content must be type \`text\` if \`is_error\` is true`);
    }
    return checkBlock(inner, here, 'user');
  });
}
