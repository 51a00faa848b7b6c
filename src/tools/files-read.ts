/** Records which files an agent has read. An edit needs a record and is refused if the file has changed since. */

export type FileVersion = {
  readonly mtimeMs: number;
  readonly size: number;
  /** Hash of the whole content, so that a new timestamp alone is no conflict. Absent: the file is too large to hash. */
  readonly sha256?: string;
};

export class FilesRead {
  readonly #versions: Map<string, FileVersion>;

  constructor(versions: Iterable<readonly [string, FileVersion]> = []) {
    this.#versions = new Map(versions);
  }

  /** `path` is the file's real path. */
  get(path: string): FileVersion | undefined {
    return this.#versions.get(path);
  }

  set(path: string, mark: FileVersion): void {
    this.#versions.set(path, mark);
  }

  /** A copy for a child, which starts with what its parent has read. */
  clone(): FilesRead {
    return new FilesRead(this.#versions);
  }
}
