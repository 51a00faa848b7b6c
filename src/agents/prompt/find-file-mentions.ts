/** Finds `@path` mentions in a text: `@src/a.ts`, `@"my file.md"`, `@src/a.ts#L10-20`. */

export type FileMention = {
  /** As written in the text. */
  readonly written: string;
  /** Possible paths, best first: a full stop at the end of a sentence is not part of one. */
  readonly paths: readonly string[];
  readonly lines?: { readonly from: number; readonly to?: number };
};

/** An email address has something before its @. */
const MENTION = /(?<![^\s([{<"'`,;])@(?:"([^"\n]+)"|([^\s"'`<>|]+))/gu;
/** The longest possible path. */
const LONGEST_PATH = 4_096;
const LINES = /#L?(\d+)(?:-L?(\d+))?$/;
const AFTER = /[.,;:!?)\]}»”]+$/u;

/** Each once, in order. */
export function findFileMentions(texts: readonly string[]): readonly FileMention[] {
  const found = new Map<string, FileMention>();
  for (const [written, quoted, bare = ''] of texts.flatMap((content) => [...content.matchAll(MENTION)])) {
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
