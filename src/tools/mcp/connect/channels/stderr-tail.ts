/** The end of a server's stderr: a few KB, regardless of how much it writes. */

import { escapeControls } from '../../../../protocol/escape-controls.js';

const KEPT_BYTES = 4 * 1024;
const SHOWN_LINES = 20;

export class StderrTail {
  #kept: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): void {
    this.#kept = Buffer.from(Buffer.concat([this.#kept, chunk.subarray(-KEPT_BYTES)]).subarray(-KEPT_BYTES));
  }

  /** Its last lines, for the user; undefined if there are none. */
  text(): string | undefined {
    const lines = this.#kept.toString('utf8').replaceAll('\r\n', '\n').trim().split('\n').slice(-SHOWN_LINES);
    const shown = escapeControls(lines.join('\n').toWellFormed());
    return shown === '' ? undefined : shown;
  }
}
