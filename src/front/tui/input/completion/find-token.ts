/** What before the caret is being completed. */

export type Token = {
  readonly kind: 'command' | 'mention';
  /** What was typed after the `/` or `@`. */
  readonly query: string;
  /** All of it, in characters before the caret. */
  readonly length: number;
  /** Nothing stands before it. */
  readonly isFirst: boolean;
};

/** A chip is no part of a word. */
const MENTION = /(?:^|[\s\ufffc])(@(?:"([^"\n]*)|([^\s"\ufffc]*)))$/u;

/** `before`: the text of the line up to the caret. */
export function findToken(before: string, isFirstLine: boolean): Token | undefined {
  const command = isFirstLine ? /^\/([^\s\ufffc]*)$/u.exec(before) : null;
  if (command !== null) return { kind: 'command', query: command[1] ?? '', length: before.length, isFirst: true };
  const mention = MENTION.exec(before);
  if (mention === null) return undefined;
  const length = mention[1]?.length ?? 0;
  const isFirst = isFirstLine && length === before.length;
  return { kind: 'mention', query: mention[2] ?? mention[3] ?? '', length, isFirst };
}
