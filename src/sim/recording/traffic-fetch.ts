/** The part of `fetch` that is recorded and replayed: a whole body out, a stream in. */

import type { RecordedAgent } from './recording.js';

export type TrafficFetch = (url: string, request: TrafficRequest) => Promise<TrafficResponse>;

export type TrafficRequest = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
};

export type TrafficResponse = {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: {
    get(name: string): string | null;
    entries(): IterableIterator<[string, string]>;
  };
  readonly body: AsyncIterable<Uint8Array> | null;
  text(): Promise<string>;
};

/** The sender of a request. `id`: in this session; the rest is the same in every session. */
export type Sender = RecordedAgent & { readonly id: string };

export type FindSender = (headers: Readonly<Record<string, string>>) => Sender | undefined;

/** Strips the path of a gateway before the API's own path. */
export function apiPath(url: string): string {
  const { pathname, search } = new URL(url);
  return `${/\/v1\/.*$/.exec(pathname)?.[0] ?? pathname}${search}`;
}

export function respondWith(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: AsyncIterable<Uint8Array>,
): TrafficResponse {
  const all = new Map(Object.entries(headers));
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: { get: (name) => all.get(name.toLowerCase()) ?? null, entries: () => all.entries() },
    body,
    text: async () => {
      const pieces: Uint8Array[] = [];
      for await (const piece of body) pieces.push(piece);
      return Buffer.concat(pieces).toString('utf8');
    },
  };
}
