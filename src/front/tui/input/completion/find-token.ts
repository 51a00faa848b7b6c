/** What before the caret is being completed. */

export type Token = {
  readonly kind: 'command' | 'mention';
  /** What was typed after the `/` or `@`. */
  readonly query: string;
  /** All of it, in characters before the caret. */
  readonly length: number;
};

/** A chip is no part of a word. */
const MENTION = /(?:^|[\s\ufffc])(@(?:"([^"\n]*)|([^\s"\ufffc]*)))$/u;

/** `before`: the text of the line up to the caret. */
export function findToken(before: string, isFirstLine: boolean): Token | undefined {
  const command = isFirstLine ? /^\/([^\s\ufffc]*)$/u.exec(before) : null;
  if (command !== null) return { kind: 'command', query: command[1] ?? '', length: before.length };
  const mention = MENTION.exec(before);
  if (mention === null) return undefined;
  return { kind: 'mention', query: mention[2] ?? mention[3] ?? '', length: mention[1]?.length ?? 0 };
}
