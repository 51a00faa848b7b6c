/** Describes a tool call and its result in one line each; escapes commands and paths, strips other text (GT-20). */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import type { ToolResultBlock } from '../../../protocol/blocks.js';
import { escapeControls } from '../../../protocol/escape-controls.js';
import { plural } from '../../../protocol/format-numbers.js';
import { type FrozenBlock, parseBlock } from '../../../protocol/frozen-block.js';
import { shorten } from '../../../protocol/text/one-line.js';
import { factsOf } from '../../../protocol/tools/built-in-tools.js';

const MAX_CHARS = 200;

export function describeCall(tool: string, input: unknown): string {
  const name = oneLine(escapeControls(tool));
  const argument = mainArgument(tool, input);
  return argument === '' ? name : `${name}: ${argument}`;
}

function mainArgument(tool: string, input: unknown): string {
  const { main } = factsOf(tool);
  if (main?.length === 0) return '';
  const value = main?.map((field) => member(input, field)).find((value) => typeof value === 'string');
  return oneLine(escapeControls(typeof value === 'string' ? value : (JSON.stringify(input) ?? '')));
}

export type ResultShown = { readonly first: string; readonly more: readonly string[] };

/** Splits a result's text into its first line and the rest. */
export function describeResult(blocks: readonly FrozenBlock[]): ResultShown {
  const lines = resultLines(blocks);
  const [first = '', ...more] = lines.map((line) => shorten(line, MAX_CHARS));
  return { first, more };
}

/** The non-empty lines of a result. */
export function resultLines(blocks: readonly FrozenBlock[]): readonly string[] {
  return stripControls(blocks.map(resultText).join('\n'))
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
}

function resultText(frozen: FrozenBlock): string {
  const block = parseBlock(frozen) as ToolResultBlock;
  if (block.type !== 'tool_result') return '';
  if (typeof block.content === 'string') return block.content;
  return block.content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}

export function member(input: unknown, key: string): unknown {
  return typeof input === 'object' && input !== null && Object.hasOwn(input, key)
    ? (input as Record<string, unknown>)[key]
    : undefined;
}

function oneLine(text: string): string {
  const lines = text.split('\n');
  const first = shorten(lines[0] ?? '', MAX_CHARS);
  return lines.length === 1 ? first : `${first} … (+${plural(lines.length - 1, 'line')})`;
}
