/** The output style of a session: the one the settings name, taken up when it opens and when it is cleared (EX-21). */

import type { StylesQuery } from '../../config/output-styles/load-styles.js';
import { DEFAULT_STYLE, type OutputStyle } from '../../config/output-styles/output-style.js';
import { formatProblem } from '../../config/problem.js';
import { escapeToLine } from '../../protocol/escape-controls.js';
import { nearestNames } from '../../tools/nearest-names.js';

export type SessionStyleOptions = StylesQuery & {
  /** False: the system prompt is not ours, so no style is added to it. */
  readonly isUsed: boolean;
  /** What the settings say now; undefined if they can't be read. */
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

  /** Returns lines for the person. */
  async takeUp(name: string | undefined): Promise<readonly string[]> {
    const wanted = name?.trim() ?? '';
    this.now = undefined;
    if (!this.#options.isUsed || wanted === '' || wanted.toLowerCase() === DEFAULT_STYLE) return [];
    // Nothing of it is loaded where no style is chosen.
    const { loadStyle } = await import('../../config/output-styles/load-styles.js');
    const { style, names, problems } = await loadStyle({ ...this.#options, name: wanted });
    this.now = style;
    const lines = problems.map(formatProblem);
    return style === undefined ? [unknown(wanted, [DEFAULT_STYLE, ...names]), ...lines] : lines;
  }

  /** All there are to choose from, as the files are now. */
  async list(): Promise<readonly OutputStyle[]> {
    return (await (await import('../../config/output-styles/load-styles.js')).loadStyles(this.#options)).styles;
  }

  /** As the settings and files are now. Where settings can't be read, the style stays. */
  async takeUpAgain(): Promise<readonly string[]> {
    const setting = await this.#options.readSetting();
    return setting === undefined ? [] : this.takeUp(setting.name);
  }
}

const MOST_NAMES = 20;

function unknown(wanted: string, names: readonly string[]): string {
  const near = nearestNames(wanted, names);
  const shown = near.length > 0 ? `Nearest: ${near.join(', ')}` : `There are: ${names.slice(0, MOST_NAMES).join(', ')}`;
  return escapeToLine(`outputStyle: there is no style "${wanted}", so the default one is used. ${shown}`);
}
