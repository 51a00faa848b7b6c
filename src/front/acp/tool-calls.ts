/** A tool call as an editor shows it: title, kind, locations, differences, result. */

import { isAbsolute, resolve } from 'node:path';
import type { ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';
import { stripControls } from '../../gate/permissions/strip-controls.js';
import type { ResultContent, ToolResultBlock } from '../../protocol/blocks.js';
import { type FrozenBlock, parseBlock } from '../../protocol/frozen-block.js';
import { factsOf } from '../../protocol/tools/built-in-tools.js';
import { describeCall, member } from '../view/describe/describe-call.js';
import { textChange } from '../view/edit-diff.js';

export type ShownCall = {
  readonly title: string;
  readonly kind: ToolKind;
  readonly locations: ToolCallLocation[];
  readonly content: ToolCallContent[];
};

/** The current content of a file; undefined if there is none, it is too large, or outside the project. */
export type ReadCurrent = (path: string) => string | undefined;

/** `cwd`: the base of relative paths in the input. */
export function showCall(tool: string, input: unknown, cwd: string, readCurrent: ReadCurrent): ShownCall {
  const { kind, path: field, line } = factsOf(tool);
  const given = field === undefined ? undefined : member(input, field);
  const path = typeof given === 'string' && given !== '' ? absolute(given, cwd) : undefined;
  const change = path === undefined ? undefined : changeOf(tool, input, path, readCurrent);
  const start = line === undefined ? undefined : member(input, line);
  const at = typeof start === 'number' && start > 0 ? start : change?.line;
  return {
    title: describeCall(tool, input),
    kind,
    locations: path === undefined ? [] : [{ path, ...(at === undefined ? {} : { line: at }) }],
    content: change === undefined ? [] : [change.diff],
  };
}

function absolute(path: string, cwd: string): string {
  return isAbsolute(path) ? path : resolve(cwd, path);
}

type Change = { readonly diff: ToolCallContent; readonly line: number | undefined };

/** The replaced piece of an edit, or the whole file of a write, before and after. */
function changeOf(tool: string, input: unknown, path: string, readCurrent: ReadCurrent): Change | undefined {
  const change = textChange(tool, input);
  if (change === undefined) return undefined;
  const { of, before = '', after: newText } = change;
  const line = before === '' ? undefined : lineWith(readCurrent(path), before);
  const oldText = of === 'file' ? (readCurrent(path) ?? null) : before || null;
  return { diff: { type: 'diff', path, oldText, newText }, line };
}

function lineWith(text: string | undefined, wanted: string): number | undefined {
  const at = text?.indexOf(wanted) ?? -1;
  return at === -1 ? undefined : (text?.slice(0, at).split('\n').length ?? 1);
}

/** The result. A successful edit shows only its difference. */
export function showResult(tool: string, isError: boolean, blocks: readonly FrozenBlock[], diff: ToolCallContent[]) {
  const parts = blocks.flatMap(partsOf);
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const isProse = !isError && factsOf(tool).result === 'prose';
  const words: ToolCallContent[] =
    text.trim() === '' ? [] : [textContent(isProse ? stripControls(text) : fenced(text))];
  const images = parts.flatMap((part): ToolCallContent[] =>
    part.type === 'image'
      ? [{ type: 'content', content: { type: 'image', data: part.source.data, mimeType: part.source.media_type } }]
      : [],
  );
  return {
    status: isError ? ('failed' as const) : ('completed' as const),
    content: !isError && diff.length > 0 ? diff : [...diff, ...words, ...images],
    rawOutput: text,
  };
}

function partsOf(frozen: FrozenBlock): readonly ResultContent[] {
  const block = parseBlock(frozen) as ToolResultBlock;
  if (block.type !== 'tool_result') return [];
  return typeof block.content === 'string' ? [{ type: 'text', text: block.content }] : block.content;
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

/** Editors show Markdown: output is fenced verbatim, and can't end its own fence. */
export function fenced(text: string): string {
  const inert = stripControls(text);
  const longest = Math.max(2, ...[...inert.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${inert}\n${fence}`;
}
