/** The record of files an agent has read: an edit needs one, and is refused when the file has changed since. */

export type FileVersion = {
  readonly mtimeMs: number;
  readonly size: number;
  /** Of the whole content, so that a touched but unchanged file is no conflict. Absent: too big to be hashed. */
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

  /** A child's own record, which starts with what its parent knew. */
  clone(): FilesRead {
    return new FilesRead(this.#versions);
  }
}
