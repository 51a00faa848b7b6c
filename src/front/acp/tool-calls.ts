/** A call of ours as an editor shows it: title, kind, places in files, differences, what it gave. */

import { isAbsolute, resolve } from 'node:path';
import type { ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';
import { stripControls } from '../../gate/permissions/strip-controls.js';
import type { ResultContent, ToolResultBlock } from '../../protocol/blocks.js';
import { type FrozenBlock, parseBlock } from '../../protocol/frozen-block.js';
import { describeCall, member } from '../view/describe/describe-call.js';

export type ShownCall = {
  readonly title: string;
  readonly kind: ToolKind;
  readonly locations: ToolCallLocation[];
  readonly content: ToolCallContent[];
};

/** What a file holds now; undefined if there is none, it is too large, or it is none of the project's. */
export type ReadCurrent = (path: string) => string | undefined;

const KINDS: Readonly<Record<string, ToolKind>> = {
  Read: 'read',
  TaskOutput: 'read',
  Write: 'edit',
  Edit: 'edit',
  NotebookEdit: 'edit',
  Glob: 'search',
  Grep: 'search',
  Bash: 'execute',
  WebFetch: 'fetch',
  WebSearch: 'fetch',
  Agent: 'think',
  TodoWrite: 'think',
  ExitPlanMode: 'switch_mode',
};

const PATHS: Readonly<Record<string, string>> = {
  Read: 'file_path',
  Write: 'file_path',
  Edit: 'file_path',
  NotebookEdit: 'notebook_path',
  Glob: 'path',
  Grep: 'path',
};

/** `cwd`: what paths in the input are relative to. */
export function showCall(tool: string, input: unknown, cwd: string, lookAt: ReadCurrent): ShownCall {
  const kind = Object.hasOwn(KINDS, tool) ? KINDS[tool] : undefined;
  const key = Object.hasOwn(PATHS, tool) ? PATHS[tool] : undefined;
  const given = key === undefined ? undefined : member(input, key);
  const path = typeof given === 'string' && given !== '' ? absolute(given, cwd) : undefined;
  const change = path === undefined ? undefined : changeOf(tool, input, path, lookAt);
  return {
    title: describeCall(tool, input),
    kind: kind ?? 'other',
    locations: path === undefined ? [] : [{ path, ...lineOf(tool, input, change?.line) }],
    content: change === undefined ? [] : [change.diff],
  };
}

function absolute(path: string, cwd: string): string {
  return isAbsolute(path) ? path : resolve(cwd, path);
}

type Change = { readonly diff: ToolCallContent; readonly line: number | undefined };

/** Edit: the piece that is replaced. Write: the whole file, before and after. */
function changeOf(tool: string, input: unknown, path: string, lookAt: ReadCurrent): Change | undefined {
  const text = (key: string) => {
    const value = member(input, key);
    return typeof value === 'string' ? value : undefined;
  };
  switch (tool) {
    case 'Edit': {
      const [before, after] = [text('old_string'), text('new_string')];
      if (before === undefined || after === undefined) return undefined;
      const line = before === '' ? undefined : lineWith(lookAt(path), before);
      return { diff: { type: 'diff', path, oldText: before === '' ? null : before, newText: after }, line };
    }
    case 'Write': {
      const newText = text('content');
      if (newText === undefined) return undefined;
      return { diff: { type: 'diff', path, oldText: lookAt(path) ?? null, newText }, line: undefined };
    }
    case 'NotebookEdit': {
      const isDeleted = text('edit_mode') === 'delete';
      const newText = isDeleted ? '' : text('new_source');
      if (newText === undefined) return undefined;
      return { diff: { type: 'diff', path, oldText: null, newText }, line: undefined };
    }
    default:
      return undefined;
  }
}

function lineWith(text: string | undefined, wanted: string): number | undefined {
  const at = text?.indexOf(wanted) ?? -1;
  return at === -1 ? undefined : (text?.slice(0, at).split('\n').length ?? 1);
}

function lineOf(tool: string, input: unknown, changed: number | undefined): { readonly line?: number } {
  const offset = tool === 'Read' ? member(input, 'offset') : undefined;
  if (typeof offset === 'number' && offset > 0) return { line: offset };
  return changed === undefined ? {} : { line: changed };
}

/** What it gave. An edit that worked is shown by its difference alone. */
export function showResult(tool: string, isError: boolean, blocks: readonly FrozenBlock[], diff: ToolCallContent[]) {
  const parts = blocks.flatMap(partsOf);
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const isProse = !isError && (tool === 'Agent' || tool === 'WebSearch' || tool === 'WebFetch');
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

/** Editors show Markdown: output stands as it is, and can't end its own fence. */
export function fenced(text: string): string {
  const inert = stripControls(text);
  const longest = Math.max(2, ...[...inert.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${inert}\n${fence}`;
}
