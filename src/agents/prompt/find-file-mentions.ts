/** Finds `@path` in words: `@src/a.ts`, `@"my file.md"`, `@src/a.ts#L10-20`. */

export type FileMention = {
  /** As it stands there. */
  readonly written: string;
  /** What may be meant, best first: in a sentence, a full stop after it is not part of it. */
  readonly paths: readonly string[];
  readonly lines?: { readonly from: number; readonly to?: number };
};

/** A mail address has something before its @. */
const MENTION = /(?<![^\s([{<"'`,;])@(?:"([^"\n]+)"|([^\s"'`<>|]+))/gu;
/** No path is longer. */
const LONGEST_PATH = 4_096;
const LINES = /#L?(\d+)(?:-L?(\d+))?$/;
const AFTER = /[.,;:!?)\]}»”]+$/u;

/** Each once, in their order. */
export function findFileMentions(texts: readonly string[]): readonly FileMention[] {
  const found = new Map<string, FileMention>();
  for (const [written, quoted, bare = ''] of texts.flatMap((words) => [...words.matchAll(MENTION)])) {
    const given = quoted ?? bare;
    if (given.length > LONGEST_PATH) continue;
    const lines = LINES.exec(given);
    const path = lines === null ? given : given.slice(0, lines.index);
    const shorter = quoted === undefined ? path.replace(AFTER, '') : path;
    const paths = [...new Set([path, shorter])].filter((one) => one !== '' && one !== '/');
    const range = lines && { from: Number(lines[1]), ...(lines[2] ? { to: Number(lines[2]) } : {}) };
    if (paths.length > 0) found.set(written, { written, paths, ...(range ? { lines: range } : {}) });
  }
  return [...found.values()];
}
