/** Quotes a text as one word of a shell command to copy, or a name within a message. Pure. */

import { escapeToLine } from '../protocol/escape-controls.js';

/** Uses single quotes, in which the shell expands nothing, unless the text is plain. Escapes invisible characters. */
export function shellWord(text: string): string {
  return isPlain(text) ? text : `'${escapeToLine(text).replaceAll("'", "'\\''")}'`;
}

/** Quotes a name unless it is plain, so that it can't read like a part of our message. */
export function shownName(name: string): string {
  return isPlain(name) ? name : JSON.stringify(name);
}

function isPlain(text: string): boolean {
  return /^[\w@:./-]+$/.test(text);
}
