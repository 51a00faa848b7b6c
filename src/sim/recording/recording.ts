/** The format of a recording: JSON lines, one exchange per line, with API keys removed. */

import * as z from 'zod';

export type RecordedExchange = {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** The body as text: JSON, or the whole stream. */
    readonly body: string;
  };
};

export type ParsedRecording =
  | { readonly ok: true; readonly exchanges: readonly RecordedExchange[] }
  | { readonly ok: false; readonly mistake: string };

const SHORTEST_KEY = 8;

const headers = z.record(z.string(), z.string());

const exchangeSchema = z.object({
  request: z.object({ method: z.string(), path: z.string(), headers, body: z.unknown() }),
  response: z.object({ status: z.int(), headers, body: z.string() }),
});

export function parseRecording(text: string, file: string): ParsedRecording {
  const exchanges: RecordedExchange[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const parsed = exchangeSchema.safeParse(parseJson(line));
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      return { ok: false, mistake: `${file}:${index + 1}: ${issue?.path.join('.')}: ${issue?.message}` };
    }
    exchanges.push({ ...parsed.data, request: { ...parsed.data.request, body: parsed.data.request.body } });
  }
  return { ok: true, exchanges };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Headers that are kept. None of them identifies the caller. */
const KEPT_REQUEST = ['anthropic-version', 'anthropic-beta', 'content-type'];
const KEPT_RESPONSE = ['content-type', 'request-id', 'retry-after', 'x-should-retry'];

export function keptRequestHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  return keep(given, KEPT_REQUEST);
}

export function keptResponseHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  return keep(given, KEPT_RESPONSE);
}

function keep(given: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])));
}

/** Formats one line of a recording. All occurrences of `secrets` are removed. */
export function recordingLine(exchange: RecordedExchange, secrets: readonly string[]): string {
  let line = JSON.stringify(exchange);
  for (const secret of secrets) {
    // A shorter string is not a key and would occur in ordinary text.
    if (secret.length >= SHORTEST_KEY) line = line.replaceAll(JSON.stringify(secret).slice(1, -1), '[key removed]');
  }
  return line.replace(/sk-ant-[\w-]{8,}/g, '[key removed]');
}

/** A body as recorded and compared: parsed, or as text if it is not JSON. */
export function readBody(body: Buffer | undefined): unknown {
  const text = body?.toString('utf8') ?? '';
  return parseJson(text) ?? text;
}
