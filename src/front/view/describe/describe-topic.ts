/** The topic of a session in a list: its name, and the start of its first prompt. */

import { escapeToLine } from '../../../protocol/escape-controls.js';

const MOST_CHARS = 70;

export function describeTopic({ name, prompt }: { readonly name?: string; readonly prompt: string }): string {
  const words = escapeToLine(prompt.replace(/\s+/g, ' ')).slice(0, MOST_CHARS);
  return name === undefined ? words : `[${escapeToLine(name).slice(0, MOST_CHARS)}] ${words}`;
}
