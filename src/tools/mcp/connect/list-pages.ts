/**
 * Fetches all pages of a server's lists, up to a limit for servers that never stop. The content of entries is not
 * validated here.
 */

import { isObject } from '../../../protocol/json/json-values.js';
import type { ListedTool, Prompt, Resource } from './connection.js';

const MOST_PAGES = 64;
const MOST_ENTRIES = 10_000;
/** Limits for one entry and for all, as JSON. */
const MOST_OF_ONE = 1024 * 1024;
const MOST_OF_ALL = 32 * 1024 * 1024;

type Page = Readonly<Record<string, unknown>>;

type Entries = { readonly tools: ListedTool; readonly resources: Resource; readonly prompts: Prompt };

/** `ask` fetches one page. */
export async function listPages<K extends keyof Entries>(
  what: K,
  ask: (cursor: string | undefined) => Promise<Page>,
): Promise<readonly Entries[K][]> {
  const found: Entries[K][] = [];
  const seen = new Set<string>();
  let size = 0;
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { [what]: entries, nextCursor } = await ask(cursor);
    for (const entry of Array.isArray(entries) ? entries : []) {
      const usable = readers[what](entry);
      const length = usable === undefined ? 0 : sizeOf(usable);
      if (usable === undefined || length > MOST_OF_ONE) continue;
      size += length;
      if (found.length >= MOST_ENTRIES || size > MOST_OF_ALL) return found;
      found.push(usable);
    }
    if (typeof nextCursor !== 'string' || nextCursor === '' || seen.has(nextCursor)) break;
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  return found;
}

/** Infinity for a value that can't be serialised, such as one nested a million levels deep. */
function sizeOf(entry: unknown): number {
  try {
    return JSON.stringify(entry).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

const readers: { readonly [K in keyof Entries]: (entry: unknown) => Entries[K] | undefined } = {
  tools: (entry) => {
    const tool = readEntry(entry, 'name', ['title', 'description'], ['annotations', '_meta', 'outputSchema']);
    // Some servers omit it for tools without input.
    return tool && ({ ...tool, inputSchema: tool.inputSchema ?? { type: 'object' } } as ListedTool);
  },
  resources: (entry) => {
    const resource = readEntry(entry, 'uri', ['name', 'title', 'description', 'mimeType'], ['annotations', '_meta']);
    return resource && ({ ...resource, name: resource.name ?? resource.uri } as Resource);
  },
  prompts: (entry) => {
    const prompt = readEntry(entry, 'name', ['title', 'description'], ['_meta']);
    if (prompt === undefined) return undefined;
    const given = Array.isArray(prompt.arguments) ? prompt.arguments : [];
    const args = given.flatMap((one) => readEntry(one, 'name', ['title', 'description'], []) ?? []);
    return { ...prompt, arguments: args } as unknown as Prompt;
  },
};

/** Undefined without its key. Fields of the wrong type are dropped. */
function readEntry(
  entry: unknown,
  key: string,
  texts: readonly string[],
  objects: readonly string[],
): Readonly<Record<string, unknown>> | undefined {
  if (!isObject(entry) || typeof entry[key] !== 'string' || entry[key] === '') return undefined;
  const isRight = ([name, value]: [string, unknown]) =>
    (!texts.includes(name) || typeof value === 'string') && (!objects.includes(name) || isObject(value));
  return Object.fromEntries(Object.entries(entry).filter(isRight));
}
