/** Ctrl+R: searches earlier prompts, newest first. */

import { escapeToLine } from '../../../protocol/escape-controls.js';
import { clip, widthOf } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';
import { scoreOf } from './completion/fuzzy.js';
import type { KeyEvent } from './key-event.js';
import { LineEditor } from './line-editor.js';

export type SearchStep =
  | { readonly kind: 'searching' }
  /** The text goes into the editor; `send`: and is sent. */
  | { readonly kind: 'taken'; readonly text: string; readonly send: boolean }
  | { readonly kind: 'cancelled' };

const LABEL = 'search: ';
const SEARCHING: SearchStep = { kind: 'searching' };
/** With fewer letters, nearly everything matches. */
const LEAST_SCATTERED = 3;

export class HistorySearch {
  readonly #entries: readonly string[];
  readonly #query = new LineEditor();
  #matches: readonly string[];
  #at = 0;

  /** `entries`: oldest first. */
  constructor(entries: readonly string[]) {
    this.#entries = [...entries].reverse();
    this.#matches = this.#entries;
  }

  get query(): string {
    return this.#query.text;
  }

  /** The matching prompt. */
  get match(): string | undefined {
    return this.#matches[this.#at];
  }

  press(event: KeyEvent): SearchStep {
    if (event.kind === 'paste') return this.#edit({ ...event, text: event.text.replaceAll('\n', ' ') });
    if (event.kind !== 'key') return SEARCHING;
    switch (event.name) {
      case 'ctrl+r':
      case 'up':
      case 'ctrl+p':
        this.#at = Math.max(0, Math.min(this.#at + 1, this.#matches.length - 1));
        return SEARCHING;
      case 'down':
      case 'ctrl+n':
        this.#at = Math.max(0, this.#at - 1);
        return SEARCHING;
      case 'ctrl+c':
      case 'ctrl+g':
        return { kind: 'cancelled' };
      case 'enter':
        return this.#take(true);
      case 'tab':
      case 'esc':
        return this.#take(false);
      default:
        return this.#edit(event);
    }
  }

  /** The query, and the matches below it, the chosen one marked. */
  rows(width: number, max: number, theme: Theme): string[] {
    const head = clip(`${LABEL}${escapeToLine(this.query)}`, width);
    const most = Math.max(0, max - 1);
    const from = Math.max(0, Math.min(this.#at - (most >> 1), this.#matches.length - most));
    const rows = this.#matches.slice(from, from + most).map((text, at) => {
      const row = clip(escapeToLine(text), Math.max(0, width - 2));
      return from + at === this.#at ? theme.chosen(`› ${row}`) : `  ${row}`;
    });
    return rows.length > 0 ? [head, ...rows] : [head, theme.dim(clip('  no matches', width))].slice(0, max);
  }

  /** Column of the cursor in the first row. */
  get column(): number {
    return widthOf(`${LABEL}${escapeToLine(this.#query.before)}`);
  }

  #take(send: boolean): SearchStep {
    const { match } = this;
    return match === undefined ? { kind: 'cancelled' } : { kind: 'taken', text: match, send };
  }

  /** Prompts that contain the query come first, then those that contain its letters in order. */
  #edit(event: KeyEvent): SearchStep {
    const before = this.query;
    if (!this.#query.press(event) || this.query === before) return SEARCHING;
    const { query } = this;
    this.#at = 0;
    const words = query.toLowerCase();
    const has = this.#entries.filter((entry) => entry.toLowerCase().includes(words));
    const scattered = query.length < LEAST_SCATTERED ? [] : this.#entries.filter((entry) => isScattered(entry, words));
    this.#matches = [...has, ...scattered];
    return SEARCHING;
  }
}

function isScattered(entry: string, words: string): boolean {
  return !entry.toLowerCase().includes(words) && scoreOf(entry, words) !== undefined;
}
