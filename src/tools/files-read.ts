/** The record of files an agent has read: an edit needs one, and is refused when the file has changed since. */

export type FileMark = {
  readonly mtimeMs: number;
  readonly size: number;
  /** Of the whole content, so that a touched but unchanged file is no conflict. Absent: too big to be hashed. */
  readonly sha256?: string;
};

export class FilesRead {
  readonly #marks: Map<string, FileMark>;

  constructor(marks: Iterable<readonly [string, FileMark]> = []) {
    this.#marks = new Map(marks);
  }

  /** `path` is the file's real path. */
  get(path: string): FileMark | undefined {
    return this.#marks.get(path);
  }

  set(path: string, mark: FileMark): void {
    this.#marks.set(path, mark);
  }

  /** A child's own record, which starts with what its parent knew. */
  clone(): FilesRead {
    return new FilesRead(this.#marks);
  }
}
