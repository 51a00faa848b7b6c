/**
 * The body of a response as recorded and as replayed. A stream stays a stream: the pieces of a block are joined only if
 * they contain a varying value, which may be split between them. Pure.
 */

import { parseJson } from '../../protocol/json/json-values.js';
import { isObject, type JsonObject } from '../json-value.js';
import { expandTemplate, MARK } from './template-text.js';
import type { Templater } from './templater.js';

/** `names`: the ids in the request. */
export function recordAnswer(body: string, templater: Templater, names: ReadonlySet<string>): string {
  const events = readEvents(body);
  if (events !== undefined) return recordStream(events, templater, names);
  const parsed = parseJson(body);
  return isObject(parsed) || Array.isArray(parsed)
    ? JSON.stringify(templater.ofReplyValue(parsed, names))
    : templater.ofReply(body, names);
}

export function expandAnswer(recorded: string, findValue: (name: string) => string): string {
  // JSON stays JSON in the recording, so values are escaped as in JSON; plain text has no escapes.
  const isPlain = readEvents(recorded) === undefined && parseJson(recorded) === undefined;
  if (isPlain || !recorded.includes(MARK)) return expandTemplate(recorded, findValue);
  const events = readEvents(recorded);
  if (events === undefined) return JSON.stringify(expandValue(parseJson(recorded), findValue));
  return events
    .map(({ lines, data }) => {
      if (data === undefined || !lines.includes(MARK)) return lines;
      return withData(lines, expandEvent(data, findValue));
    })
    .join('');
}

type ServerEvent = {
  /** As received, including the empty line at the end. */
  readonly lines: string;
  /** Undefined if there is none, or it is not readable. */
  readonly data: JsonObject | undefined;
};

/** Undefined if it is not an event stream. */
function readEvents(body: string): ServerEvent[] | undefined {
  if (!/^(?:event|data|id|retry|):/.test(body)) return undefined;
  return body
    .split(/(?<=\n\r?\n)/)
    .filter((lines) => lines !== '')
    .map((lines) => {
      const data = lines
        .split(/\r?\n/)
        .flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
        .join('\n');
      const parsed = parseJson(data);
      return { lines, data: isObject(parsed) ? parsed : undefined };
    });
}

function recordStream(events: readonly ServerEvent[], templater: Templater, names: ReadonlySet<string>): string {
  const pieces = new Map<string, { text: string; readonly first: number; readonly field: string }>();
  const keys = events.map(({ data }, index) => {
    const piece = pieceOf(data);
    if (piece === undefined) return undefined;
    const known = pieces.get(piece.key);
    if (known === undefined) pieces.set(piece.key, { text: piece.text, first: index, field: piece.field });
    else known.text += piece.text;
    return piece.key;
  });
  const changed = new Map<string, string>();
  for (const [key, { text, field }] of pieces) {
    const made = field === 'partial_json' ? recordJson(text, templater, names) : templater.ofReply(text, names);
    if (made !== text) changed.set(key, made);
  }
  return events
    .map(({ lines, data }, index) => {
      const key = keys[index];
      const made = key === undefined ? undefined : changed.get(key);
      if (key === undefined || data === undefined) return recordEvent(lines, data, templater, names);
      if (made === undefined) return lines;
      const { first, field } = pieces.get(key) ?? { first: index, field: '' };
      if (first !== index) return '';
      const delta = { ...(data.delta as JsonObject), [field]: made };
      return withData(lines, { ...data, delta });
    })
    .join('');
}

/** A piece of a block: the only text of its delta. */
function pieceOf(data: JsonObject | undefined): { key: string; field: string; text: string } | undefined {
  if (data?.type !== 'content_block_delta' || !isObject(data.delta)) return undefined;
  const texts = Object.entries(data.delta).filter(([name, value]) => name !== 'type' && typeof value === 'string');
  const [field, text] = texts[0] ?? [];
  if (texts.length !== 1 || field === undefined || typeof text !== 'string') return undefined;
  return { key: `${String(data.index)} ${field}`, field, text };
}

/** Changed only if it contains a varying value: otherwise the model's formatting is preserved. */
function recordJson(text: string, templater: Templater, names: ReadonlySet<string>): string {
  const parsed = parseJson(text);
  if (parsed === undefined) return templater.ofReply(text, names);
  const made = JSON.stringify(templater.ofReplyValue(parsed, names));
  return made === JSON.stringify(parsed) ? text : made;
}

function recordEvent(
  lines: string,
  data: JsonObject | undefined,
  templater: Templater,
  names: ReadonlySet<string>,
): string {
  if (data === undefined) return templater.ofReply(lines, names);
  const made = templater.ofReplyValue(data, names);
  return JSON.stringify(made) === JSON.stringify(data) ? lines : withData(lines, made);
}

/** Returns the same event with other data. */
function withData(lines: string, data: unknown): string {
  const others = lines.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('data:'));
  return `${[...others, `data: ${JSON.stringify(data)}`].join('\n')}\n\n`;
}

function expandEvent(data: JsonObject, findValue: (name: string) => string): unknown {
  const expanded = expandValue(data, findValue) as JsonObject;
  if (!isObject(data.delta) || typeof data.delta.partial_json !== 'string') return expanded;
  const escaped = (name: string) => JSON.stringify(findValue(name)).slice(1, -1);
  const partial_json = expandTemplate(data.delta.partial_json, escaped);
  return { ...expanded, delta: { ...(expanded.delta as JsonObject), partial_json } };
}

function expandValue(value: unknown, findValue: (name: string) => string): unknown {
  if (typeof value === 'string') return expandTemplate(value, findValue);
  if (Array.isArray(value)) return value.map((item) => expandValue(item, findValue));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [expandTemplate(name, findValue), expandValue(item, findValue)]),
  );
}
