/** Finds the Markdown files below a definition folder (agents, skills). Follows each link once; one failure does not hide the rest. */

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

/** Changes whenever the file changes: no program can set all of its parts (see `FileStat`). */
export function stampOf({ identity, ctimeMs, mtimeMs, size }: FileStat): string {
  return `${identity} ${ctimeMs} ${mtimeMs} ${size}`;
}

/** Changes whenever one of the files changes, comes or goes. */
export function stampAll(found: readonly FoundFiles[]): string {
  const lines = found.flatMap(({ files, problems }) => [
    ...files.map(({ file, stamp }) => `${file}\0${stamp}`),
    problems.length,
  ]);
  return lines.join('\n');
}

const MAX_DEPTH = 16;
/** Limits for all folders together, so that an overfull folder can't block the start. */
const MAX_NAMES = 5_000;
const MAX_FILES = 1_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** So that a folder full of pipes does not flood the screen. */
const MAX_PROBLEMS = 100;

export type FindOptions = {
  /** Links that point outside this folder are not followed. */
  readonly within?: string;
  /** The expected content of the folder, for messages. */
  readonly what?: string;
  /** Selects the entries to visit; by default Markdown files, folders and links. Names that begin with "." are never visited. */
  readonly choose?: (entries: readonly Entry[], folder: string) => readonly Entry[];
  readonly mostNames?: number;
  /** A subfolder that contains a plain file of this name is not listed: nothing else in it would be selected. */
  readonly only?: string;
};

/** Returns files sorted by path. A missing folder is treated as empty. */
export async function findDefinitionFiles(host: Host, folder: string, options: FindOptions = {}): Promise<FoundFiles> {
  const walk = new Walk(host, options);
  const top = await walk.inspect(folder);
  if (top.kind === 'there' && top.stat.kind !== 'folder')
    walk.report('error', folder, `expected a folder of ${options.what ?? 'agent definitions'}`);
  else await walk.visit(folder, top, 0, folder);
  return { files: walk.files, problems: walk.problems };
}

type Inspected =
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
  async visit(path: string, inspected: Inspected, depth: number, parent: string): Promise<void> {
    if (inspected.kind === 'failed') this.report('error', path, `skipped: ${inspected.reason}`);
    if (inspected.kind === 'absent' && depth > 0) this.report('error', path, 'skipped: broken link');
    if (inspected.kind !== 'there' || !this.#isFirstVisit(inspected.stat) || (await this.#leadsOut(path))) return;
    if (inspected.stat.kind === 'folder') await this.#folder(path, depth);
    else if (inspected.stat.kind !== 'file') this.report('error', path, 'skipped: not a regular file');
    else this.#take(path, inspected.stat, parent);
  }

  async inspect(path: string): Promise<Inspected> {
    try {
      const stat = await this.host.files.stat(path);
      return stat === undefined ? { kind: 'absent' } : { kind: 'there', stat };
    } catch (error) {
      return { kind: 'failed', reason: explain(error) };
    }
  }

  report(severity: Problem['severity'], file: string, message: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ severity, file, message });
    else if (this.problems.length === MAX_PROBLEMS) this.problems.push({ severity: 'error', file, message: NO_MORE });
  }

  async #folder(path: string, depth: number): Promise<void> {
    if (depth > MAX_DEPTH) {
      this.report('warning', path, `skipped: nested more than ${MAX_DEPTH} folders deep`);
      return;
    }
    const listed = await listRegularFolder(this.host.files, path, this.#namesLeft());
    if (listed.kind === 'refused') this.report('error', path, `skipped: ${listed.reason}`);
    if (listed.kind === 'listed') await this.#entries(path, listed.real, listed.entries, depth);
  }

  async #entries(path: string, real: string, entries: readonly Entry[], depth: number): Promise<void> {
    this.#names += entries.length;
    const visible = entries.filter(({ name }) => !name.startsWith('.') && name !== 'node_modules');
    const chosen = this.options.choose?.(visible, path) ?? visible.filter(isCandidate);
    const here = chosen.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name, kind } of here) {
      const each = `${path}/${name}`;
      const plain = kind === 'file' || kind === 'folder' ? this.#inspectPlain(each) : undefined;
      if (plain?.kind === 'there' && plain.stat.kind === 'file') {
        if (this.#isFirstVisit(plain.stat)) this.#take(each, plain.stat, real);
        continue;
      }
      if (plain?.kind === 'there' && plain.stat.kind === 'folder' && this.#takeOnly(each, plain.stat, depth, real))
        continue;
      const inner = plain?.kind === 'there' && plain.stat.kind === 'folder' ? this.#listPlain(each, depth) : undefined;
      if (plain?.kind === 'there' && inner !== undefined) {
        if (this.#isFirstVisit(plain.stat)) await this.#entries(each, `${real}/${name}`, inner, depth + 1);
        continue;
      }
      const one = plain?.kind === 'failed' ? plain : await this.inspect(each);
      if (isMarkdown(each) || (one.kind === 'there' && one.stat.kind === 'folder'))
        await this.visit(each, one, depth + 1, real);
    }
  }

  /** Checks for one file instead of listing the folder, which takes most of the time when there are hundreds of folders. */
  #takeOnly(folder: string, stat: FileStat, depth: number, parent: string): boolean {
    const { only } = this.options;
    if (only === undefined || depth >= MAX_DEPTH || this.#namesLeft() < 1) return false;
    const file = `${folder}/${only}`;
    const inspected = this.#inspectPlain(file);
    if (inspected.kind !== 'there' || inspected.stat.kind !== 'file') return false;
    this.#names += 1;
    if (this.#isFirstVisit(stat) && this.#isFirstVisit(inspected.stat))
      this.#take(file, inspected.stat, `${parent}/${basename(folder)}`);
    return true;
  }

  #namesLeft(): number {
    return (this.options.mostNames ?? MAX_NAMES) - this.#names;
  }

  /** Lists a folder that is not a link; synchronous, like `#inspectPlain`. Undefined: the slow path has to report why not. */
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
    } else if (!this.problems.some((one) => one.message === TOO_MANY)) this.report('error', file, TOO_MANY);
  }

  /** Checks a name that is not a link. Synchronous, because the thread pool takes ten times as long for hundreds of files; their number is limited. */
  #inspectPlain(path: string): Inspected {
    try {
      const stat = this.host.files.sync.lstat(path);
      return stat === undefined ? { kind: 'absent' } : { kind: 'there', stat };
    } catch (error) {
      return { kind: 'failed', reason: explain(error) };
    }
  }

  /** False if the file was already seen under another name. */
  #isFirstVisit(stat: FileStat): boolean {
    if (this.#seen.has(stat.identity)) return false;
    this.#seen.add(stat.identity);
    return true;
  }

  /** Reports a link that points outside `within`. */
  async #leadsOut(path: string): Promise<boolean> {
    const { within } = this.options;
    if (within === undefined) return false;
    // A file that was deleted in the meantime is treated as outside.
    const real = await this.host.files.realpath(path).catch(() => '/');
    const inside = relative(within, real);
    if (inside !== '..' && !inside.startsWith('../')) return false;
    this.report('error', path, 'skipped: a link that points outside an untrusted project');
    return true;
  }
}

const NO_MORE = 'more files and folders were skipped';
const TOO_MANY = `more than ${MAX_FILES} files or ${MAX_BYTES} bytes: this file and the rest are skipped`;

export function isMarkdown(path: string): boolean {
  return /\.(md|markdown)$/i.test(path);
}

function isCandidate({ name, kind }: Entry): boolean {
  return kind === 'folder' || kind === 'link' || isMarkdown(name);
}

function explain(error: unknown): string {
  const code = errorCode(error);
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'ELOOP') return 'too many levels of links';
  return reasonOf(error);
}
