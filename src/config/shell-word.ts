/** A text as one word of a shell command that a person may copy, and a name as it stands in a line. Pure. */

import { escapeToLine } from '../protocol/escape-controls.js';

/** In single quotes, where nothing is run or replaced, unless it is plain. What can't be seen is written out. */
export function shellWord(text: string): string {
  return isPlain(text) ? text : `'${escapeToLine(text).replaceAll("'", "'\\''")}'`;
}

/** In quotes unless it is plain: a name must not go on as a sentence of ours. */
export function shownName(name: string): string {
  return isPlain(name) ? name : JSON.stringify(name);
}

function isPlain(text: string): boolean {
  return /^[\w@:./-]+$/.test(text);
}
