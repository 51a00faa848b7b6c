/**
 * The format of a recording: JSON lines. First a header, then parts of requests (each once, referenced by number),
 * exchanges, and inputs of agents. Varying values and secrets are replaced by placeholders.
 */

import * as z from 'zod';
import { parseJson } from '../../protocol/json/json-values.js';
import { isObject } from '../json-value.js';
import { joinParts } from './body-parts.js';

export type RecordedExchange = {
  /** When the request arrived and when its response had been read, in one sequence with all other events. */
  readonly started?: number | undefined;
  readonly ended?: number | undefined;
  /** The agent that sent it, if known. */
  readonly agent?: RecordedAgent | undefined;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  };
  readonly response: {
    /** 0: no response. */
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** The body as text: JSON, or the whole stream. */
    readonly body: string;
  };
  /** The client disconnected before the end. */
  readonly cut?: true | undefined;
  /** The reason why the connection broke before the end. */
  readonly broken?: string | undefined;
};

/** An agent, identified by the calls that led to it: `main`, or ids of tool calls. The same in every replay. */
export type RecordedAgent = { readonly key: string; readonly name?: string | undefined };

/** Input that reached a running agent: a notice, or a message of another agent. */
export type RecordedInput = {
  readonly input: string;
  readonly to: string;
  /** In one sequence with requests and responses. */
  readonly at: number;
  /** The start of a request of the agent that was assembled before this input arrived, though it was sent later. */
  readonly after?: number | undefined;
};

/** Instead of an input: a run of the agent ended. */
export const RUN_ENDED = 'run ended';

export type ParsedRecording =
  | {
      readonly ok: true;
      readonly exchanges: readonly RecordedExchange[];
      readonly inputs: readonly RecordedInput[];
      /** One line each. */
      readonly warnings: readonly string[];
    }
  | { readonly ok: false; readonly mistake: string };

export const RECORDING_VERSION = 1;

const headers = z.record(z.string(), z.string());
const count = z.int().min(0);

const headerSchema = z.object({ coppice: z.literal('recording'), version: z.int() });
const partSchema = z.object({ part: count, value: z.unknown() });
const inputSchema = z.object({ input: z.string(), to: z.string(), at: count, after: count.optional() });
const exchangeSchema = z.object({
  started: count.optional(),
  ended: count.optional(),
  agent: z.object({ key: z.string(), name: z.string().optional() }).optional(),
  request: z.object({ method: z.string(), path: z.string(), headers, body: z.unknown() }),
  response: z.object({ status: z.int(), headers, body: z.string() }),
  cut: z.literal(true).optional(),
  broken: z.string().optional(),
});

/** A recording without a header is older than placeholders: its texts are used unchanged. */
export function parseRecording(text: string, file: string): ParsedRecording {
  const exchanges: RecordedExchange[] = [];
  const inputs: RecordedInput[] = [];
  const warnings: string[] = [];
  const parts = new Map<number, unknown>();
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    if (isTooDeep(line)) return { ok: false, mistake: `${file}:${index + 1}: nested too deep for a recording` };
    const value = parseJson(line);
    // The recording process was killed while writing.
    if (value === undefined && index === lines.length - 1) {
      warnings.push(`${file}:${index + 1}: the last line is not whole and was left out`);
      continue;
    }
    const mistake = takeLine(value, { exchanges, inputs, parts });
    if (mistake !== undefined) return { ok: false, mistake: `${file}:${index + 1}: ${mistake}` };
  }
  return { ok: true, exchanges, inputs, warnings };
}

/** Deeper than any real request. Unlimited nesting would take unlimited time to compare. */
const DEEPEST = 500;

function isTooDeep(line: string): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < line.length; at += 1) {
    const sign = line.charCodeAt(at);
    if (sign === BACKSLASH) at += 1;
    else if (sign === QUOTE) isText = !isText;
    else if (isText) continue;
    else if (sign === BRACE || sign === BRACKET) depth += 1;
    else if (sign === BRACE + 2 || sign === BRACKET + 2) depth -= 1;
    if (depth > DEEPEST) return true;
  }
  return false;
}

const [BACKSLASH, QUOTE, BRACE, BRACKET] = [0x5c, 0x22, 0x7b, 0x5b];

type Read = {
  readonly exchanges: RecordedExchange[];
  readonly inputs: RecordedInput[];
  readonly parts: Map<number, unknown>;
};

/** Returns what is wrong with the line. */
function takeLine(value: unknown, { exchanges, inputs, parts }: Read): string | undefined {
  if (!isObject(value)) return 'this is not a line of a recording';
  if ('coppice' in value) {
    const header = headerSchema.safeParse(value);
    if (!header.success) return 'this is not the header of a recording';
    const { version } = header.data;
    return version === RECORDING_VERSION
      ? undefined
      : `version ${version} is not known here (only ${RECORDING_VERSION}): record it again, or use a newer coppice`;
  }
  if ('part' in value) {
    const part = partSchema.safeParse(value);
    if (!part.success) return explain(part.error);
    parts.set(part.data.part, part.data.value);
    return undefined;
  }
  if ('input' in value) {
    const input = inputSchema.safeParse(value);
    if (!input.success) return explain(input.error);
    inputs.push(input.data);
    return undefined;
  }
  const exchange = exchangeSchema.safeParse(value);
  if (!exchange.success) return explain(exchange.error);
  const { request } = exchange.data;
  const whole = joinParts(request.body, parts);
  if ('missing' in whole) return `part ${whole.missing} is missing: a line before this one was removed`;
  exchanges.push({ ...exchange.data, request: { ...request, body: whole.body } });
  return undefined;
}

function explain(error: z.ZodError): string {
  const [issue] = error.issues;
  return `${issue?.path.join('.')}: ${issue?.message}`;
}

/** A body as recorded and compared: parsed, or as text if it is not JSON. */
export function readBody(body: Uint8Array | string | undefined): unknown {
  const text = typeof body === 'string' ? body : Buffer.from(body ?? '').toString('utf8');
  return parseJson(text) ?? text;
}
