/**
 * The output style of a session: the one named in the settings, loaded when it opens and when it is cleared (EX-21).
 */

import type { StylesQuery } from '../../config/output-styles/load-styles.js';
import { DEFAULT_STYLE, type OutputStyle } from '../../config/output-styles/output-style.js';
import { formatProblem } from '../../config/problem.js';
import { escapeToLine } from '../../protocol/escape-controls.js';
import { nearestNames } from '../../tools/nearest-names.js';

export type SessionStyleOptions = StylesQuery & {
  /** False: the system prompt is not ours, so no style is added to it. */
  readonly isUsed: boolean;
  /** The current settings; undefined if they can't be read. */
  readSetting(): Promise<{ readonly name: string | undefined } | undefined>;
};

export class SessionStyle {
  readonly #options: SessionStyleOptions;
  now: OutputStyle | undefined;

  constructor(options: SessionStyleOptions) {
    this.#options = options;
  }

  /** `default` without one. */
  get name(): string {
    return this.now?.name ?? DEFAULT_STYLE;
  }

  /** Returns warnings for the user. */
  async load(name: string | undefined): Promise<readonly string[]> {
    const selected = name?.trim() ?? '';
    this.now = undefined;
    if (!this.#options.isUsed || selected === '' || selected.toLowerCase() === DEFAULT_STYLE) return [];
    // Loads nothing unless a style is selected.
    const { loadStyle } = await import('../../config/output-styles/load-styles.js');
    const { style, names, problems } = await loadStyle({ ...this.#options, name: selected });
    this.now = style;
    const lines = problems.map(formatProblem);
    return style === undefined ? [unknown(selected, [DEFAULT_STYLE, ...names]), ...lines] : lines;
  }

  /** All available styles, as the files are now. */
  async list(): Promise<readonly OutputStyle[]> {
    return (await (await import('../../config/output-styles/load-styles.js')).loadStyles(this.#options)).styles;
  }

  /** Reloads settings and files. If settings can't be read, the style stays. */
  async reload(): Promise<readonly string[]> {
    const setting = await this.#options.readSetting();
    return setting === undefined ? [] : this.load(setting.name);
  }
}

const MOST_NAMES = 20;

function unknown(wanted: string, names: readonly string[]): string {
  const near = nearestNames(wanted, names);
  const shown =
    near.length > 0 ? `Did you mean ${near.join(', ')}?` : `Available: ${names.slice(0, MOST_NAMES).join(', ')}`;
  return escapeToLine(`outputStyle: unknown style "${wanted}"; the default is used. ${shown}`);
}
