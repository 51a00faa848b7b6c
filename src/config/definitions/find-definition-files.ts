/** Finds the Markdown files below a definitions folder. Each link is followed once; one failure does not hide the rest. */

import { relative } from 'node:path';
import { type Entry, errorCode, type FileStat } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { listPlain } from '../../host/read-plain.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Problem } from '../problem.js';

export type FoundFile = { readonly file: string; readonly stamp: string };

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

export type FindOptions = {
  /** Links that point outside this folder are not followed. */
  readonly within?: string;
};

/** Returns files sorted by path. A missing folder counts as empty. */
export async function findDefinitionFiles(host: Host, folder: string, options: FindOptions = {}): Promise<FoundFiles> {
  const walk = new Walk(host, options.within);
  const top = await walk.look(folder);
  if (top.kind === 'there' && top.stat.kind !== 'folder')
    walk.tell('error', folder, 'expected a folder of agent definitions');
  else await walk.visit(folder, top, 0);
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
    readonly within: string | undefined,
  ) {}

  async visit(path: string, looked: Looked, depth: number): Promise<void> {
    if (looked.kind === 'failed') this.tell('error', path, `skipped: ${looked.reason}`);
    if (looked.kind === 'absent' && depth > 0) this.tell('error', path, 'skipped: broken link');
    if (looked.kind !== 'there' || !this.#isFirstSight(looked.stat) || (await this.#leadsOut(path))) return;
    if (looked.stat.kind === 'folder') await this.#folder(path, depth);
    else if (looked.stat.kind !== 'file') this.tell('error', path, 'skipped: not a regular file');
    else this.#take(path, looked.stat);
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
    this.problems.push({ severity, file, message });
  }

  async #folder(path: string, depth: number): Promise<void> {
    if (depth > MAX_DEPTH) {
      this.tell('warning', path, `skipped: nested more than ${MAX_DEPTH} folders deep`);
      return;
    }
    const entries = await this.#list(path);
    this.#names += entries.length;
    const here = entries.filter(isLookedInto).sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name, kind } of here) {
      const each = `${path}/${name}`;
      const file = kind === 'file' ? this.#lookAtFile(each) : undefined;
      if (file?.kind === 'there' && file.stat.kind === 'file') {
        if (this.#isFirstSight(file.stat)) this.#take(each, file.stat);
        continue;
      }
      const one = file ?? (await this.look(each));
      if (isMarkdown(each) || (one.kind === 'there' && one.stat.kind === 'folder'))
        await this.visit(each, one, depth + 1);
    }
  }

  #take(file: string, stat: FileStat): void {
    if (this.files.length < MAX_FILES && this.#bytes + stat.size <= MAX_BYTES) {
      this.#bytes += stat.size;
      this.files.push({ file, stamp: stampOf(stat) });
    } else if (!this.problems.some((one) => one.message === TOO_MANY)) this.tell('error', file, TOO_MANY);
  }

  /** A name that is no link lies where its folder lies. Synchronous: for hundreds of files, the thread pool takes ten times as long. Their number is limited. */
  #lookAtFile(path: string): Looked {
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
    if (this.within === undefined) return false;
    // A file that was deleted in the meantime counts as outside.
    const real = await this.host.files.realpath(path).catch(() => '/');
    const inside = relative(this.within, real);
    if (inside !== '..' && !inside.startsWith('../')) return false;
    this.tell('error', path, 'skipped: a link that points outside an untrusted project');
    return true;
  }

  async #list(path: string): Promise<readonly Entry[]> {
    const listed = await listPlain(this.host.files, path, MAX_NAMES - this.#names);
    if (listed.kind === 'listed') return listed.entries;
    if (listed.kind === 'refused') this.tell('error', path, `skipped: ${listed.reason}`);
    return [];
  }
}

const TOO_MANY = `more than ${MAX_FILES} files or ${MAX_BYTES} bytes: this file and the rest are skipped`;

function isMarkdown(path: string): boolean {
  return /\.(md|markdown)$/i.test(path);
}

function isLookedInto({ name, kind }: Entry): boolean {
  return !name.startsWith('.') && name !== 'node_modules' && (kind === 'folder' || kind === 'link' || isMarkdown(name));
}

function explain(error: unknown): string {
  const code = errorCode(error);
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'ELOOP') return 'too many levels of links';
  return reasonOf(error);
}
