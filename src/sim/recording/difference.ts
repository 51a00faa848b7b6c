/** Describes where a request differs from the recorded one. Pure. */

import { isObject } from '../json-value.js';
import { type Bindings, type Mismatch, Trial, unifyText } from './unify.js';

export type DifferenceOptions = {
  readonly recorded: unknown;
  readonly now: unknown;
  readonly bindings: Bindings;
  /** Renders current text as in a recording, so that both sides read alike. */
  readonly show: (text: string) => string;
};

/** Returns the position, then the first lines that differ. */
export function describeMismatch(mismatch: Mismatch, options: DifferenceOptions): string {
  const tools = toolsDifference(mismatch, options);
  if (tools !== undefined) return tools;
  const { recorded, now } = mismatch;
  const place = describePlace(mismatch, options);
  if (typeof recorded === 'string' && typeof now === 'string') {
    return [`at ${place}`, ...lineDifference(recorded, now, options)].join('\n');
  }
  return [`at ${place}`, ...side('-', recorded, options), ...side('+', now, options)].join('\n');
}

function toolsDifference({ path }: Mismatch, { recorded, now }: DifferenceOptions): string | undefined {
  if (path[0] !== 'tools') return undefined;
  const [before, after] = [toolNames(recorded), toolNames(now)];
  const gone = before.filter((name) => !after.includes(name));
  const added = after.filter((name) => !before.includes(name));
  if (gone.length + added.length === 0) return undefined;
  return ['at tools', ...gone.map((name) => `  - ${name}`), ...added.map((name) => `  + ${name}`)].join('\n');
}

function toolNames(body: unknown): string[] {
  const tools = isObject(body) && Array.isArray(body.tools) ? body.tools : [];
  return tools.map((tool, index) => (isObject(tool) && typeof tool.name === 'string' ? tool.name : `tool ${index}`));
}

function describePlace({ path }: Mismatch, { recorded, now }: DifferenceOptions): string {
  const [field, index, ...rest] = path;
  switch (field) {
    case 'tools':
      return `tools: ${toolNames(now)[Number(index)] ?? index}${rest.length > 0 ? `: ${rest.join('.')}` : ''}`;
    case 'system':
      return index === undefined ? 'system' : `system[${index}]${rest[0] === 'text' ? '' : dotted(rest)}`;
    case 'messages':
      return describeMessagePlace(Number(index), rest, now, recorded);
    default:
      return path.join('.') || 'the whole body';
  }
}

function dotted(path: readonly (string | number)[]): string {
  return path.map((part) => `.${part}`).join('');
}

function describeMessagePlace(index: number, rest: readonly (string | number)[], now: unknown, recorded: unknown) {
  const message = messagesOf(now)[index] ?? messagesOf(recorded)[index];
  const role = isObject(message) ? ` (${String(message.role)})` : '';
  const at = `messages[${index}]${role}`;
  if (rest[0] !== 'content' || !isObject(message)) return `${at}${dotted(rest)}`;
  const blocks = Array.isArray(message.content) ? message.content : [];
  const block: unknown = blocks[Number(rest[1])];
  if (!isObject(block)) return at;
  const inner = rest.slice(2).filter((part) => part !== 'text' && part !== 'content' && typeof part === 'string');
  return `${at}: ${describeBlock(block, now)}${inner.length > 0 ? `: ${inner.join('.')}` : ''}`;
}

function describeBlock(block: Readonly<Record<string, unknown>>, body: unknown): string {
  if (block.type === 'tool_use') return `call of ${String(block.name)}`;
  if (block.type !== 'tool_result') return String(block.type);
  const blocks = messagesOf(body).flatMap((message) =>
    isObject(message) && Array.isArray(message.content) ? message.content : [],
  );
  const use = blocks.find((one) => isObject(one) && one.type === 'tool_use' && one.id === block.tool_use_id);
  return `tool_result of ${isObject(use) ? String(use.name) : 'a call'}`;
}

export function messagesOf(body: unknown): readonly unknown[] {
  return isObject(body) && Array.isArray(body.messages) ? body.messages : [];
}

const SHOWN_LINES = 4;
const SHOWN_WIDTH = 160;

/** The first lines that differ, after one that does not. */
function lineDifference(recorded: string, now: string, { bindings, show }: DifferenceOptions): string[] {
  const [before, after] = [recorded.split('\n'), now.split('\n')];
  const same = (one: string | undefined, other: string | undefined) =>
    one !== undefined && other !== undefined && unifyText(one, other, new Trial(bindings));
  let start = 0;
  while (same(before[start], after[start])) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && same(before[before.length - 1 - end], after[after.length - 1 - end])) end += 1;
  const gone = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end).map(show);
  const divergence = divergenceOf(gone[0] ?? '', added[0] ?? '');
  const context = start > 0 ? [`    ${cut(before[start - 1] ?? '', 0)}`] : [];
  return [...context, ...marked('-', gone, divergence), ...marked('+', added, divergence)];
}

function marked(mark: '-' | '+', lines: readonly string[], divergence: number): string[] {
  const shown = lines
    .slice(0, SHOWN_LINES)
    .map((line, index) => `  ${mark} ${visible(cut(line, index === 0 ? divergence : 0))}`);
  const more = lines.length - SHOWN_LINES;
  return more > 0 ? [...shown, `  ${mark} … and ${more} more ${more === 1 ? 'line' : 'lines'}`] : shown;
}

/** Lines that differ must not look the same: shows trailing spaces, unusual spaces and zero-width characters. */
function visible(line: string): string {
  return line
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00a0]/gu, (sign) =>
      sign === '\t' ? sign : `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
    )
    .replace(/[ \t]+$/, (spaces) => '␠'.repeat(spaces.length));
}

function divergenceOf(one: string, other: string): number {
  let index = 0;
  while (index < one.length && one[index] === other[index]) index += 1;
  return index;
}

/** Cuts a long line to the part around the difference. */
function cut(line: string, divergence: number): string {
  const start = line.length <= SHOWN_WIDTH ? 0 : Math.max(0, Math.min(divergence - 40, line.length - SHOWN_WIDTH));
  const shown = line.slice(start, start + SHOWN_WIDTH).toWellFormed();
  return `${start > 0 ? '…' : ''}${shown}${start + SHOWN_WIDTH < line.length ? '…' : ''}`;
}

function side(mark: '-' | '+', value: unknown, { show }: DifferenceOptions): string[] {
  if (value === undefined) return [`  ${mark} (nothing)`];
  const text = firstText(value) ?? JSON.stringify(value);
  return marked(mark, (mark === '+' ? show(text) : text).split('\n'), 0);
}

/** The text of a message or a block, which is more useful than its JSON. */
function firstText(value: unknown): string | undefined {
  if (!isObject(value) && !Array.isArray(value)) return undefined;
  if (isObject(value) && typeof value.text === 'string') return value.text;
  if (isObject(value) && value.type === 'tool_use') return `${String(value.name)} ${JSON.stringify(value.input)}`;
  const inner = isObject(value) ? value.content : value;
  if (typeof inner === 'string') return inner;
  const texts = Array.isArray(inner) ? inner.flatMap((item) => firstText(item) ?? []) : [];
  return texts.length > 0 ? texts.join('\n') : undefined;
}

/** Summarizes a request: its last text. */
export function describeRequest(body: unknown): string {
  const last = messagesOf(body).at(-1);
  const text = firstText(last) ?? '';
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('<'));
  const said = (lines.at(-1) ?? text).trim();
  return said === '' ? 'a request' : `“${cut(said, 0).slice(0, 80)}”`;
}
