/**
 * What files of definitions (agents, skills) came to when they were parsed, kept in our home: reading and parsing hundreds of them takes longer
 * than everything else before the first request. A file counts as unchanged while its stamp is the same. It is derived:
 * when it doesn't fit or can't be read, the file is parsed.
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

/** What a file defines. */
export type Definition = { readonly prompt: string; readonly source: DefinitionSource; readonly folder?: string };

/** What is not in the file. */
export type DefinitionOrigin<T> = Pick<T, Extract<keyof T, 'source' | 'folder'>>;

export type ParsedFile<T> = { readonly definition?: T; readonly problems: readonly Problem[] };

/** With what the file was when it was read; undefined if it could not be. */
export type FreshlyParsed<T> = ParsedFile<T> & { readonly stat: FileStat | undefined };

/** Without regard to where the file counts: it is the same in a trusted folder and in one that is not. */
type KeptFile = {
  readonly stamp: string;
  readonly definition?: object;
  /** Where its prompt begins and ends, among all of them: most are never needed, and they are most of the bytes. */
  readonly prompt?: readonly [number, number];
  readonly problems: readonly Problem[];
};

type StampedFile<T> = { readonly stamp: string; readonly parsed: ParsedFile<T> };

type Kept = { readonly files: Readonly<Record<string, KeptFile>>; readonly prompts: Buffer };

/** Another version of the program may make something else of the same file. */
const FORMAT = `1 ${VERSION}`;
const MOST_FOLDERS = 50;
/** A file that changes again within the same tick of the file system's clock would look unchanged. */
const SETTLED_MS = 2_000;

export class DefinitionCache<T extends Definition> {
  readonly #host: Host;
  readonly #path: string;
  readonly #kept: Kept;
  readonly #next = new Map<string, StampedFile<T>>();
  #changed = false;

  private constructor(host: Host, path: string, kept: Kept) {
    this.#host = host;
    this.#path = path;
    this.#kept = kept;
  }

  /** Those of a folder of definitions. `key`: the folder, and what its files are read as unless that is agents. */
  static async open<T extends Definition>(host: Host, key: string): Promise<DefinitionCache<T>> {
    const name = createHash('sha256').update(key).digest('hex').slice(0, 24);
    const path = join(keptFolder(host), `${name}.json`);
    return new DefinitionCache(host, path, await readKept(host, path));
  }

  /** As it was parsed before; undefined if it has to be parsed. */
  find({ file, stamp }: FoundFile, place: DefinitionOrigin<T>): ParsedFile<T> | undefined {
    const kept = this.#kept.files[file];
    if (kept?.stamp !== stamp) return undefined;
    const parsed = restore(kept, this.#kept.prompts, place);
    this.#next.set(file, { stamp, parsed });
    return parsed;
  }

  /** As it is parsed now. */
  add(file: string, { stat: read, ...parsed }: FreshlyParsed<T>): ParsedFile<T> {
    this.#changed = true;
    if (read !== undefined && this.#host.clock.now() - read.ctimeMs > SETTLED_MS) {
      this.#next.set(file, { stamp: stampOf(read), parsed });
    }
    return parsed;
  }

  /** Call it when all files were taken. A failure costs the next start time, nothing else. */
  async save(): Promise<void> {
    const before = Object.keys(this.#kept.files).length;
    const now = this.#next.size;
    if (!this.#changed && before === now) return;
    if (before === 0 && now === 0) return;
    const { files } = this.#host;
    const temporary = `${this.#path}.${this.#host.newShortId()}.tmp`;
    try {
      await files.makeFolder(keptFolder(this.#host), 0o700);
      await files.create(temporary, writeKept(this.#next));
      await files.rename(temporary, this.#path);
      await removeOldest(this.#host);
    } catch {
      await files.remove(temporary).catch(() => {});
    }
  }
}

function keptFolder({ env }: Host): string {
  return join(coppiceHome(env), 'definitions');
}

/** One line of JSON, then the prompts. */
async function readKept({ files }: Host, path: string): Promise<Kept> {
  const nothing = { files: {}, prompts: Buffer.alloc(0) };
  try {
    // Most folders have none: an error would cost more than the look.
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

function writeKept(next: ReadonlyMap<string, StampedFile<Definition>>): Buffer {
  const files: Record<string, KeptFile> = {};
  const prompts: Buffer[] = [];
  let length = 0;
  for (const [file, { stamp, parsed }] of next) {
    const { definition, problems } = parsed;
    const { source: _, folder: __, prompt = '', ...fields } = definition ?? {};
    const kept = { stamp, problems, ...(definition === undefined ? {} : { definition: fields }) };
    if (!isJson(kept)) continue;
    const bytes = Buffer.from(prompt);
    files[file] = { ...(kept as KeptFile), prompt: [length, length + bytes.length] };
    prompts.push(bytes);
    length += bytes.length;
  }
  return Buffer.concat([Buffer.from(`${JSON.stringify({ format: FORMAT, bytes: length, files })}\n`), ...prompts]);
}

function restore<T extends Definition>(
  { definition, problems, prompt: [from, to] = [0, 0] }: KeptFile,
  prompts: Buffer,
  place: DefinitionOrigin<T>,
): ParsedFile<T> {
  if (definition === undefined) return { problems };
  const restored = {
    ...definition,
    ...place,
    get prompt() {
      return prompts.toString('utf8', from, to);
    },
  };
  // It was written by `writeKept`, of a T.
  return { problems, definition: restored as unknown as T };
}

/** YAML knows values that JSON doesn't. */
function isJson(value: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value);
  } catch {
    return false;
  }
}

async function removeOldest(host: Host): Promise<void> {
  const { files } = host;
  const folder = keptFolder(host);
  const paths = (await files.list(folder, 10 * MOST_FOLDERS)).map(({ name }) => join(folder, name));
  if (paths.length <= MOST_FOLDERS) return;
  const dated = await Promise.all(
    paths.map(async (path) => ({ path, time: (await files.lstat(path).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  dated.sort((a, b) => b.time - a.time);
  for (const { path } of dated.slice(MOST_FOLDERS)) await files.remove(path).catch(() => {});
}
