/**
 * Reads results as servers really send them. The call's effects have happened, so one invalid block must not hide the
 * rest: it becomes text that describes it.
 */

import type { StandardSchemaV1 } from '@modelcontextprotocol/client';
import { isObject, type JsonObject } from '../../../protocol/json/json-values.js';
import type { CallToolResult, GetPromptResult, ReadResourceResult } from './connection.js';

type Block = CallToolResult['content'][number];

/** For pages of lists. */
export const anyObject = schema((value) => value);

export const callResult = schema<CallToolResult>((value) => ({
  ...value,
  content: (Array.isArray(value.content) ? value.content : []).map(readBlock),
}));

export const resourceResult = schema<ReadResourceResult>((value) => {
  if (!Array.isArray(value.contents)) return undefined;
  return { ...value, contents: value.contents.filter(isContent) };
});

export const promptResult = schema<GetPromptResult>((value) => {
  if (!Array.isArray(value.messages)) return undefined;
  const messages = value.messages.filter(isObject).map(({ role, content }) => ({
    role: role === 'assistant' ? ('assistant' as const) : ('user' as const),
    content: readBlock(content),
  }));
  return { ...value, messages };
});

function schema<T>(read: (value: JsonObject) => T | undefined): StandardSchemaV1<unknown, T> {
  const validate = (value: unknown) => {
    const result = isObject(value) ? read(value) : undefined;
    return result === undefined ? { issues: [{ message: 'this is not what was asked for' }] } : { value: result };
  };
  return { '~standard': { version: 1, vendor: 'coppice', validate } };
}

function readBlock(block: unknown): Block {
  if (isObject(block)) {
    const { type, text, data, mimeType, uri, name, resource } = block;
    const isRight =
      (type === 'text' && typeof text === 'string') ||
      ((type === 'image' || type === 'audio') && typeof data === 'string' && typeof mimeType === 'string') ||
      (type === 'resource_link' && typeof uri === 'string' && typeof name === 'string') ||
      (type === 'resource' && isContent(resource));
    if (isRight) return block as Block;
  }
  return { type: 'text', text: `(a block that is not understood: ${write(block)})` };
}

function isContent(value: unknown): value is ReadResourceResult['contents'][number] {
  return (
    isObject(value) && typeof value.uri === 'string' && [value.text, value.blob].some((one) => typeof one === 'string')
  );
}

const MOST_WRITTEN = 2_000;

function write(value: unknown): string {
  try {
    return (JSON.stringify(value) ?? 'nothing').slice(0, MOST_WRITTEN);
  } catch {
    return 'it can not be written';
  }
}
