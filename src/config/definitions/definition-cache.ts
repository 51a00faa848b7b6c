/**
 * Caches parsed definition files (agents, skills) in our home folder, because reading and parsing hundreds of them takes
 * longer than everything else before the first request. An entry is valid while the stamp of its file is the same. If the
 * cache is unusable, the file is parsed.
 */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { FileStat } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { coppiceHome } from '../paths.js';
import type { Problem } from '../problem.js';
import { VERSION } from '../version.js';
import type { DefinitionSource } from './agent-definition.js';
import { type FoundFile, stampOf } from './find-definition-files.js';

/** The content of one definition file. */
export type Definition = { readonly prompt: string; readonly source: DefinitionSource; readonly folder?: string };

/** The part of a definition that does not come from the file. */
export type DefinitionOrigin<T> = Pick<T, Extract<keyof T, 'source' | 'folder'>>;

export type ParsedFile<T> = { readonly definition?: T; readonly problems: readonly Problem[] };

/** `stat`: of the file as it was read; undefined if it could not be read. */
export type FreshlyParsed<T> = ParsedFile<T> & { readonly stat: FileStat | undefined };

/** Independent of scope and trust, so that trusting a folder does not invalidate the entry. */
type CachedFile = {
  readonly stamp: string;
  readonly definition?: object;
  /** Start and end of its prompt in the buffer of all prompts. They are most of the bytes, and rarely needed. */
  readonly prompt?: readonly [number, number];
  readonly problems: readonly Problem[];
};

type StampedFile<T> = { readonly stamp: string; readonly parsed: ParsedFile<T> };

type Cached = { readonly files: Readonly<Record<string, CachedFile>>; readonly prompts: Buffer };

/** Another version of the program may parse the same file differently. */
const FORMAT = `1 ${VERSION}`;
const MOST_FOLDERS = 50;
/** Files changed more recently are not cached: a second change within one clock tick would not be noticed. */
const SETTLED_MS = 2_000;

export class DefinitionCache<T extends Definition> {
  readonly #host: Host;
  readonly #path: string;
  readonly #cached: Cached;
  readonly #next = new Map<string, StampedFile<T>>();
  #changed = false;

  private constructor(host: Host, path: string, cached: Cached) {
    this.#host = host;
    this.#path = path;
    this.#cached = cached;
  }

  /** Opens the cache of one folder. `key`: the folder, prefixed with the kind of file unless that is agents. */
  static async open<T extends Definition>(host: Host, key: string): Promise<DefinitionCache<T>> {
    const name = createHash('sha256').update(key).digest('hex').slice(0, 24);
    const path = join(cacheFolder(host), `${name}.json`);
    return new DefinitionCache(host, path, await readCache(host, path));
  }

  /** Returns the cached result, or undefined if the file must be parsed. */
  find({ file, stamp }: FoundFile, origin: DefinitionOrigin<T>): ParsedFile<T> | undefined {
    const cached = this.#cached.files[file];
    if (cached?.stamp !== stamp) return undefined;
    const parsed = restore(cached, this.#cached.prompts, origin);
    this.#next.set(file, { stamp, parsed });
    return parsed;
  }

  /** Stores a new result. */
  add(file: string, { stat: read, ...parsed }: FreshlyParsed<T>): ParsedFile<T> {
    this.#changed = true;
    if (read !== undefined && this.#host.clock.now() - read.ctimeMs > SETTLED_MS) {
      this.#next.set(file, { stamp: stampOf(read), parsed });
    }
    return parsed;
  }

  /** Call it after all files were processed. If it fails, the next start is merely slower. */
  async save(): Promise<void> {
    const before = Object.keys(this.#cached.files).length;
    const now = this.#next.size;
    if (!this.#changed && before === now) return;
    if (before === 0 && now === 0) return;
    const { files } = this.#host;
    const temporary = `${this.#path}.${this.#host.newShortId()}.tmp`;
    try {
      await files.makeFolder(cacheFolder(this.#host), 0o700);
      await files.create(temporary, writeCache(this.#next));
      await files.rename(temporary, this.#path);
      await removeOldest(this.#host);
    } catch {
      await files.remove(temporary).catch(() => {});
    }
  }
}

function cacheFolder({ env }: Host): string {
  return join(coppiceHome(env), 'definitions');
}

/** The file format is one line of JSON, followed by the prompts. */
async function readCache({ files }: Host, path: string): Promise<Cached> {
  const nothing = { files: {}, prompts: Buffer.alloc(0) };
  try {
    // Most folders have no cache, and stat is cheaper than a thrown error.
    if ((await files.stat(path)) === undefined) return nothing;
    const bytes = await files.read(path);
    const end = bytes.indexOf(0x0a);
    const head = JSON.parse(bytes.toString('utf8', 0, end));
    if (head.format !== FORMAT || head.bytes !== bytes.length - end - 1) return nothing;
    return { files: head.files, prompts: bytes.subarray(end + 1) };
  } catch {
    return nothing;
  }
}

function writeCache(next: ReadonlyMap<string, StampedFile<Definition>>): Buffer {
  const files: Record<string, CachedFile> = {};
  const prompts: Buffer[] = [];
  let length = 0;
  for (const [file, { stamp, parsed }] of next) {
    const { definition, problems } = parsed;
    const { source: _, folder: __, prompt = '', ...fields } = definition ?? {};
    const cached = { stamp, problems, ...(definition === undefined ? {} : { definition: fields }) };
    if (!isJson(cached)) continue;
    const bytes = Buffer.from(prompt);
    files[file] = { ...(cached as CachedFile), prompt: [length, length + bytes.length] };
    prompts.push(bytes);
    length += bytes.length;
  }
  return Buffer.concat([Buffer.from(`${JSON.stringify({ format: FORMAT, bytes: length, files })}\n`), ...prompts]);
}

function restore<T extends Definition>(
  { definition, problems, prompt: [from, to] = [0, 0] }: CachedFile,
  prompts: Buffer,
  origin: DefinitionOrigin<T>,
): ParsedFile<T> {
  if (definition === undefined) return { problems };
  const restored = {
    ...definition,
    ...origin,
    get prompt() {
      return prompts.toString('utf8', from, to);
    },
  };
  // `writeCache` wrote it from a T.
  return { problems, definition: restored as unknown as T };
}

/** YAML has values that JSON can't represent. */
function isJson(value: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value);
  } catch {
    return false;
  }
}

async function removeOldest(host: Host): Promise<void> {
  const { files } = host;
  const folder = cacheFolder(host);
  const paths = (await files.list(folder, 10 * MOST_FOLDERS)).map(({ name }) => join(folder, name));
  if (paths.length <= MOST_FOLDERS) return;
  const dated = await Promise.all(
    paths.map(async (path) => ({ path, time: (await files.lstat(path).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  dated.sort((a, b) => b.time - a.time);
  for (const { path } of dated.slice(MOST_FOLDERS)) await files.remove(path).catch(() => {});
}
