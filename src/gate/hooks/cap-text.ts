/** Text of a hook that is shown or added to the conversation is bounded. */

const MOST_CHARACTERS = 10_000;

/** At most 10,000 characters, the mark that something is missing included; no character is cut in two. */
export function capText(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= MOST_CHARACTERS) return trimmed;
  const mark = `\n[cut: the hook wrote ${trimmed.length} characters]`;
  const kept = trimmed.slice(0, MOST_CHARACTERS - mark.length);
  return kept.replace(/[\uD800-\uDBFF]$/, '') + mark;
}
