/** Shows a command, a path or a question exactly: invisible characters are escaped, nothing is removed (GT-20). */

/** Longer runs of spaces could push text out of sight. */
const LONGEST_GAP = 8;
const MOST_EMPTY_LINES = 2;

export function escapeControls(text: string): string {
  return text
    .replace(
      /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}]|(?! )\p{Zs}|\p{Variation_Selector}|[\u115f\u1160\u3164\uffa0\u2800]/gu,
      writeOut,
    )
    .replace(new RegExp(` {${LONGEST_GAP + 1},}`, 'g'), (gap) => `⟨${gap.length} spaces⟩`)
    .replace(new RegExp(`\n{${MOST_EMPTY_LINES + 2},}`, 'g'), (lines) => `\n⟨${lines.length - 1} empty lines⟩\n`);
}

/** The same on one line, so that foreign text can't start a line that looks like ours. */
export function escapeToLine(text: string): string {
  return escapeControls(text).replaceAll('\n', '\\n');
}

function writeOut(char: string): string {
  switch (char) {
    case '\n':
      return char;
    case '\r':
      return '\\r';
    case '\t':
      return '\\t';
    default:
      return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
  }
}
