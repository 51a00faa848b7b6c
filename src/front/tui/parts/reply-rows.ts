/**
 * The rows of a streaming text: the final ones for the history, and the rest for the live area. All final rows together are
 * the rows of the whole text (`textRows`), however it was split.
 */

import { InertStream } from '../../view/inert-stream.js';
import type { Theme } from '../theme/theme.js';
import { markRows } from './item-rows.js';
import { renderBlocks } from './markdown/render-markdown.js';
import { BlockSplitter } from './markdown/split-blocks.js';

export type ReplyRowsOptions = { readonly width: number; readonly theme: Theme };

export class ReplyRows {
  readonly #inert = new InertStream();
  readonly #blocks = new BlockSplitter();
  #isFirst = true;

  /** Returns the rows that are final now. */
  push(piece: string, options: ReplyRowsOptions): string[] {
    return this.#rows(this.#blocks.push(this.#inert.push(piece)), options);
  }

  /** The rows of the rest, as it looks now. */
  tail(options: ReplyRowsOptions): string[] {
    const { tail } = this.#blocks;
    return tail === '' ? [] : this.#marked([tail], options);
  }

  /** Returns the last rows, at the end of the text. Another may follow. */
  end(options: ReplyRowsOptions): string[] {
    const rows = this.#rows([...this.#blocks.push(this.#inert.end()), ...this.#blocks.end()], options);
    this.#isFirst = true;
    return rows;
  }

  #rows(blocks: readonly string[], options: ReplyRowsOptions): string[] {
    const rows = this.#marked(blocks, options);
    if (rows.length > 0) this.#isFirst = false;
    return rows;
  }

  #marked(blocks: readonly string[], options: ReplyRowsOptions): string[] {
    const { width, theme } = options;
    const rows = renderBlocks(blocks, { ...options, width: width - 2 });
    return markRows(rows, { width, theme }, this.#isFirst);
  }
}
