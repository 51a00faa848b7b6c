/** JSON written the way a file had it: indentation, line endings, last newline, escapes. */

export function formatLike(before: string, value: unknown): string {
  const indent = /^\s*[[{]\r?\n([ \t]+)/.exec(before)?.[1] ?? (before.includes('\n') ? ' ' : '');
  let text = JSON.stringify(value, null, indent);
  const escapes = /\\u[0-9a-fA-F]{4}/.test(before) && !hasNonAscii(before);
  if (escapes) text = text.replace(/[\u0080-\uffff]/g, escapeCharacter);
  if (before.includes('\r\n')) text = text.replaceAll('\n', '\r\n');
  return text + (/[\r\n]*$/.exec(before)?.[0] ?? '');
}

function hasNonAscii(text: string): boolean {
  return /[\u0080-\uffff]/.test(text);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
