/** Makes what a status line's command prints safe for a terminal. Colours stay where the screen has them. Pure. */

import { stripControls } from '../../gate/permissions/strip-controls.js';

const MAX_LINES = 10;
const MAX_CHARS = 1_000;
const MAX_PADDING = 40;

export type CleanOptions = { readonly colours: boolean; readonly padding: number };

/** Empty lines at the end don't count. */
export function cleanOutput(text: string, { colours, padding }: CleanOptions): readonly string[] {
  const lines = text.replace(/\r\n?/g, '\n').trimEnd().split('\n').slice(0, MAX_LINES);
  const clean = lines.map((line) => (colours ? keepColours(line) : stripControls(line.slice(0, MAX_CHARS))));
  if (clean.every((line) => line.trim() === '')) return [];
  const margin = ' '.repeat(Math.min(MAX_PADDING, Math.floor(padding)));
  return clean.map((line) => `${margin}${line}`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence that sets colours.
const COLOUR = /(\u001b\[[0-9;:]*m)/;

/** Each line ends in the colours it began with. */
function keepColours(line: string): string {
  const parts = line.slice(0, MAX_CHARS).split(COLOUR);
  const clean = parts.map((part, index) => (index % 2 === 1 ? part : stripControls(part))).join('');
  return parts.length > 1 ? `${clean}\u001b[0m` : clean;
}
