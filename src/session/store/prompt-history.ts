/**
 * The prompts typed in a project, one JSON line each, and the current drafts: one file per session, so that a crash loses
 * neither (TU-18). The draft of a dead process becomes a line of the history.
 */

import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { Host } from '../../host/host.js';
import { checkAlive, identifyOwnProcess, type ProcessIdentity } from '../../host/locks/process-identity.js';
import { withLock } from '../../host/locks/with-lock.js';
import { readRegularFile } from '../../host/read-regular-file.js';

export interface PromptHistoryFile {
  /** Oldest first, without consecutive repeats. Nothing here rejects: what can't be read or saved is ignored. */
  entries(): Promise<readonly string[]>;
  add(text: string): Promise<void>;
  /** Saves the current draft; an empty text removes it. Of several quick calls, the last one wins. */
  saveDraft(text: string): Promise<void>;
  /** The draft of this session when its process ended. */
  draft(): Promise<string | undefined>;
}

/** A longer file is rewritten with its newest lines only. */
const MOST_BYTES = 4 * 1024 * 1024;
const KEPT_BYTES = MOST_BYTES / 2;
/** Longer text is cut: no one types that much. */
const MOST_CHARS = 256 * 1024;
const MOST_DRAFTS = 100;

export class PromptHistory implements PromptHistoryFile {
  readonly #host: Host;
  readonly #file: string;
  readonly #drafts: string;
  readonly #own: string;
  #unsaved: string | undefined;
  #saving: Promise<void> | undefined;

  /** `folder`: the project's, in our home. */
  constructor(host: Host, folder: string, session: string) {
    this.#host = host;
    this.#file = `${folder}.history`;
    this.#drafts = `${folder}.drafts`;
    this.#own = join(this.#drafts, session);
  }

  async entries(): Promise<readonly string[]> {
    await this.#adoptDrafts().catch(() => {});
    const texts = (await this.#lines().catch(() => [])).map(({ text }) => text);
    return texts.filter((text, index) => text !== texts[index + 1]);
  }

  async add(text: string): Promise<void> {
    if (text.trim() !== '') await this.#append([text]).catch(() => {});
  }

  async saveDraft(text: string): Promise<void> {
    this.#unsaved = text.slice(0, MOST_CHARS);
    this.#saving ??= this.#save();
    await this.#saving;
  }

  async draft(): Promise<string | undefined> {
    return (await this.#readDraft(this.#own))?.text;
  }

  async #save(): Promise<void> {
    const { files } = this.#host;
    while (this.#unsaved !== undefined) {
      const text = this.#unsaved;
      this.#unsaved = undefined;
      const save = async () => {
        if (text.trim() === '') return files.remove(this.#own);
        await files.makeFolder(this.#drafts, 0o700);
        const draft: Draft = { text, by: await identifyOwnProcess(this.#host) };
        await files.replace(this.#own, JSON.stringify(draft), 0o600);
      };
      await save().catch(() => {});
    }
    // In the same tick as the check above, so that a text set now is not missed.
    this.#saving = undefined;
  }

  /** Adopts drafts of sessions whose process died; not of this session, which may still use its own. */
  async #adoptDrafts(): Promise<void> {
    const { files } = this.#host;
    if ((await files.lstat(this.#drafts))?.kind !== 'folder') return;
    const own = await identifyOwnProcess(this.#host);
    for (const { name } of await files.list(this.#drafts, MOST_DRAFTS)) {
      const path = join(this.#drafts, name);
      const draft = path === this.#own ? undefined : await this.#readDraft(path);
      if (draft === undefined || (await checkAlive(this.#host, draft.by, own)) !== 'dead') continue;
      await this.#append([draft.text]);
      await files.remove(path);
    }
  }

  async #readDraft(path: string): Promise<Draft | undefined> {
    const read = await readRegularFile(this.#host.files, path, { most: MOST_BYTES }).catch(() => undefined);
    return read?.kind === 'read' ? parse(draftSchema(), read.bytes.toString('utf8')) : undefined;
  }

  async #append(texts: readonly string[]): Promise<void> {
    const { files, clock } = this.#host;
    await files.makeFolder(dirname(this.#file), 0o700);
    await withLock(this.#host, `${this.#file}.lock`, async () => {
      const added = texts.map((text) => ({ at: clock.now(), text: text.slice(0, MOST_CHARS) }));
      const size = (await files.stat(this.#file))?.size ?? 0;
      if (size > MOST_BYTES) {
        await files.replace(this.#file, newest([...(await this.#lines()), ...added]), 0o600);
        return;
      }
      const handle = await files.openAppend(this.#file);
      try {
        // A line cut off by a crash must not merge with the next one.
        const bytes = Buffer.from(`${size > 0 && !(await this.#endsWithNewline(size)) ? '\n' : ''}${written(added)}`);
        for (let at = 0; at < bytes.length; ) {
          const count = await handle.write(bytes.subarray(at));
          if (count === 0) break;
          at += count;
        }
      } finally {
        await handle.close();
      }
    });
  }

  async #endsWithNewline(size: number): Promise<boolean> {
    const handle = await this.#host.files.openRead(this.#file);
    try {
      return (await handle.read(size - 1, 1)).toString('latin1') === '\n';
    } finally {
      await handle.close();
    }
  }

  async #lines(): Promise<readonly Entry[]> {
    const read = await readRegularFile(this.#host.files, this.#file, { most: MOST_BYTES * 4 });
    if (read.kind !== 'read') return [];
    const lines = read.bytes.toString('utf8').split('\n');
    return lines.flatMap((line) => (line === '' ? [] : (parse(entrySchema(), line) ?? [])));
  }
}

type Entry = { readonly at: number; readonly text: string };
type Draft = { readonly text: string; readonly by: ProcessIdentity };

const entrySchema = () => z.object({ at: z.number(), text: z.string() });
const draftSchema = () => {
  const known = z
    .string()
    .optional()
    .transform((value) => value);
  return z
    .object({ text: z.string(), by: z.object({ pid: z.number(), started: known, boot: known, space: known }) })
    .transform(({ text, by: { pid, started, boot, space } }): Draft => ({ text, by: { pid, started, boot, space } }));
};

function parse<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function written(entries: readonly Entry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

/** As many of the newest entries as fit. */
function newest(entries: readonly Entry[]): string {
  let bytes = 0;
  const first = entries.findLastIndex((entry) => {
    bytes += Buffer.byteLength(written([entry]));
    return bytes > KEPT_BYTES;
  });
  return written(entries.slice(first + 1));
}
