/** Finds the Markdown files below a folder of definitions (agents, skills). Each link is followed once; one failure does not hide the rest. */

import { basename, relative } from 'node:path';
import { type Entry, errorCode, type FileStat } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { listRegularFolder } from '../../host/read-regular-file.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Problem } from '../problem.js';

export type FoundFile = {
  readonly file: string;
  readonly stamp: string;
  /** The folder it was found in, links resolved. */
  readonly folder: string;
};

export type FoundFiles = { readonly files: readonly FoundFile[]; readonly problems: readonly Problem[] };

/** Differs whenever a file has changed: no program can set all of it (see `FileStat`). */
export function stampOf({ identity, ctimeMs, mtimeMs, size }: FileStat): string {
  return `${identity} ${ctimeMs} ${mtimeMs} ${size}`;
}

const MAX_DEPTH = 16;
/** Names in all folders together, files among them, and their bytes: whoever fills a folder must not stop a start. */
const MAX_NAMES = 5_000;
const MAX_FILES = 1_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** So that whoever fills a folder with pipes doesn't fill the screen. */
const MAX_PROBLEMS = 100;

export type FindOptions = {
  /** Links that point outside this folder are not followed. */
  readonly within?: string;
  /** What the folder is for. */
  readonly what?: string;
  /** Which names of a folder to look into; without it, Markdown files, folders and links. Names that begin with "." never are. */
  readonly choose?: (entries: readonly Entry[], folder: string) => readonly Entry[];
  readonly mostNames?: number;
  /** A folder below that has a plain file of this name is not listed: nothing else in it would be chosen. */
  readonly only?: string;
};

/** Returns files sorted by path. A missing folder counts as empty. */
export async function findDefinitionFiles(host: Host, folder: string, options: FindOptions = {}): Promise<FoundFiles> {
  const walk = new Walk(host, options);
  const top = await walk.look(folder);
  if (top.kind === 'there' && top.stat.kind !== 'folder')
    walk.tell('error', folder, `expected a folder of ${options.what ?? 'agent definitions'}`);
  else await walk.visit(folder, top, 0, folder);
  return { files: walk.files, problems: walk.problems };
}

type Looked =
  | { readonly kind: 'there'; readonly stat: FileStat }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly reason: string };

class Walk {
  readonly files: FoundFile[] = [];
  readonly problems: Problem[] = [];
  readonly #seen = new Set<string>();
  #names = 0;
  #bytes = 0;

  constructor(
    readonly host: Host,
    readonly options: FindOptions,
  ) {}

  /** `parent`: the real path of the folder that has this name. */
  async visit(path: string, looked: Looked, depth: number, parent: string): Promise<void> {
    if (looked.kind === 'failed') this.tell('error', path, `skipped: ${looked.reason}`);
    if (looked.kind === 'absent' && depth > 0) this.tell('error', path, 'skipped: broken link');
    if (looked.kind !== 'there' || !this.#isFirstSight(looked.stat) || (await this.#leadsOut(path))) return;
    if (looked.stat.kind === 'folder') await this.#folder(path, depth);
    else if (looked.stat.kind !== 'file') this.tell('error', path, 'skipped: not a regular file');
    else this.#take(path, looked.stat, parent);
  }

  async look(path: string): Promise<Looked> {
    try {
      const stat = await this.host.files.stat(path);
      return stat === undefined ? { kind: 'absent' } : { kind: 'there', stat };
    } catch (error) {
      return { kind: 'failed', reason: explain(error) };
    }
  }

  tell(severity: Problem['severity'], file: string, message: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ severity, file, message });
    else if (this.problems.length === MAX_PROBLEMS) this.problems.push({ severity: 'error', file, message: NO_MORE });
  }

  async #folder(path: string, depth: number): Promise<void> {
    if (depth > MAX_DEPTH) {
      this.tell('warning', path, `skipped: nested more than ${MAX_DEPTH} folders deep`);
      return;
    }
    const listed = await listRegularFolder(this.host.files, path, this.#namesLeft());
    if (listed.kind === 'refused') this.tell('error', path, `skipped: ${listed.reason}`);
    if (listed.kind === 'listed') await this.#entries(path, listed.real, listed.entries, depth);
  }

  async #entries(path: string, real: string, entries: readonly Entry[], depth: number): Promise<void> {
    this.#names += entries.length;
    const visible = entries.filter(({ name }) => !name.startsWith('.') && name !== 'node_modules');
    const chosen = this.options.choose?.(visible, path) ?? visible.filter(isLookedInto);
    const here = chosen.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name, kind } of here) {
      const each = `${path}/${name}`;
      const plain = kind === 'file' || kind === 'folder' ? this.#lookAtPlain(each) : undefined;
      if (plain?.kind === 'there' && plain.stat.kind === 'file') {
        if (this.#isFirstSight(plain.stat)) this.#take(each, plain.stat, real);
        continue;
      }
      if (plain?.kind === 'there' && plain.stat.kind === 'folder' && this.#takeOnly(each, plain.stat, depth, real))
        continue;
      const inner = plain?.kind === 'there' && plain.stat.kind === 'folder' ? this.#listPlain(each, depth) : undefined;
      if (plain?.kind === 'there' && inner !== undefined) {
        if (this.#isFirstSight(plain.stat)) await this.#entries(each, `${real}/${name}`, inner, depth + 1);
        continue;
      }
      const one = plain?.kind === 'failed' ? plain : await this.look(each);
      if (isMarkdown(each) || (one.kind === 'there' && one.stat.kind === 'folder'))
        await this.visit(each, one, depth + 1, real);
    }
  }

  /** One look in place of a list: of hundreds of folders, that is most of the time. */
  #takeOnly(folder: string, stat: FileStat, depth: number, parent: string): boolean {
    const { only } = this.options;
    if (only === undefined || depth >= MAX_DEPTH || this.#namesLeft() < 1) return false;
    const file = `${folder}/${only}`;
    const looked = this.#lookAtPlain(file);
    if (looked.kind !== 'there' || looked.stat.kind !== 'file') return false;
    this.#names += 1;
    if (this.#isFirstSight(stat) && this.#isFirstSight(looked.stat))
      this.#take(file, looked.stat, `${parent}/${basename(folder)}`);
    return true;
  }

  #namesLeft(): number {
    return (this.options.mostNames ?? MAX_NAMES) - this.#names;
  }

  /** Of a folder that is no link; synchronous, as `#lookAtPlain`. Undefined if it has to be told why that can't be. */
  #listPlain(folder: string, depth: number): readonly Entry[] | undefined {
    if (depth >= MAX_DEPTH) return undefined;
    try {
      const entries = this.host.files.sync.list(folder, this.#namesLeft() + 1);
      return entries.length > this.#namesLeft() ? undefined : entries;
    } catch {
      return undefined;
    }
  }

  #take(file: string, stat: FileStat, folder: string): void {
    if (this.files.length < MAX_FILES && this.#bytes + stat.size <= MAX_BYTES) {
      this.#bytes += stat.size;
      this.files.push({ file, stamp: stampOf(stat), folder });
    } else if (!this.problems.some((one) => one.message === TOO_MANY)) this.tell('error', file, TOO_MANY);
  }

  /** A name that is no link lies where its folder lies. Synchronous: for hundreds of files, the thread pool takes ten times as long. Their number is limited. */
  #lookAtPlain(path: string): Looked {
    try {
      const stat = this.host.files.sync.lstat(path);
      return stat === undefined ? { kind: 'absent' } : { kind: 'there', stat };
    } catch (error) {
      return { kind: 'failed', reason: explain(error) };
    }
  }

  /** False if the file was already seen under another name. */
  #isFirstSight(stat: FileStat): boolean {
    if (this.#seen.has(stat.identity)) return false;
    this.#seen.add(stat.identity);
    return true;
  }

  /** Whether a link points outside `within`. */
  async #leadsOut(path: string): Promise<boolean> {
    const { within } = this.options;
    if (within === undefined) return false;
    // A file that was deleted in the meantime counts as outside.
    const real = await this.host.files.realpath(path).catch(() => '/');
    const inside = relative(within, real);
    if (inside !== '..' && !inside.startsWith('../')) return false;
    this.tell('error', path, 'skipped: a link that points outside an untrusted project');
    return true;
  }
}

const NO_MORE = 'more files and folders were skipped';
const TOO_MANY = `more than ${MAX_FILES} files or ${MAX_BYTES} bytes: this file and the rest are skipped`;

export function isMarkdown(path: string): boolean {
  return /\.(md|markdown)$/i.test(path);
}

function isLookedInto({ name, kind }: Entry): boolean {
  return kind === 'folder' || kind === 'link' || isMarkdown(name);
}

function explain(error: unknown): string {
  const code = errorCode(error);
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'ELOOP') return 'too many levels of links';
  return reasonOf(error);
}
