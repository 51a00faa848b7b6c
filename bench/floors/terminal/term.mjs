/** The least renderer that does the work: history is written once, below it a live area is kept by the difference of rows. */

import { writeSync } from 'node:fs';

/** Terminals disagree about the width of these. */
const RISKY = /[\u200d\ufe0f\u{1f3fb}-\u{1f3ff}\u0900-\u0dff]/u;
const up = (count) => (count > 0 ? `\x1b[${count}A` : '');
const down = (count) => (count > 0 ? `\x1b[${count}B` : '');
const [SAVE, RESTORE, WRAP, NO_WRAP] = ['\x1b7', '\x1b8', '\x1b[?7h', '\x1b[?7l'];
const [ERASE_BELOW, ERASE_REST] = ['\x1b[J', '\x1b[K'];
const FRAME_MS = 1000 / 30;
const SLOW_BYTES = 1 << 16;

export class Term {
  painted = [];
  caret = { row: 0, column: 0 };
  /** Rows of the history that are not written yet. */
  pending = [];
  last = 0;
  timer;

  /** `view`: columns, rows → rows no wider than columns − 1, fewer than rows, and the caret's place. */
  constructor(view) {
    this.view = view;
  }

  start(onInput) {
    process.stdin.setRawMode(true);
    process.stdin.setEncoding('utf8');
    process.stdin.on('data', onInput);
    process.stdout.write('\x1b[?2004h\x1b[?u');
  }

  stop() {
    const below = this.painted.length > 0 ? `${down(this.painted.length - 1 - this.caret.row)}\r\n` : '';
    writeSync(1, `\x1b[?2026l${WRAP}\x1b[?25h\x1b[?2004l${below}`);
    process.stdin.setRawMode(false);
  }

  frame(now = false) {
    const wait = FRAME_MS - (performance.now() - this.last);
    if (!now && wait > 0) {
      this.timer ??= setTimeout(() => this.paint(), wait);
      return;
    }
    this.paint();
  }

  paint() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.last = performance.now();
    // The terminal is behind: this frame is dropped.
    if (process.stdout.writableLength > SLOW_BYTES) return this.frame();
    const { columns, rows } = process.stdout;
    let bytes = '';
    let row = this.caret.row;
    const go = (to) => {
      bytes += to > row ? down(to - row) : up(row - to);
      row = to;
    };
    const { lines, caret } = this.view(columns, rows);
    let height = this.painted.length;
    if (this.pending.length > 0 && height > 0 && rows - height > 2 && !this.pending.some((line) => RISKY.test(line))) {
      while (this.pending.length > 0) {
        const part = this.pending.splice(0, rows - height - 2);
        go(height - 1);
        bytes += `\r${'\n'.repeat(part.length)}${up(height - 1 + part.length)}\x1b[${part.length}L${part.join('\r\n')}\r\n`;
        row = 0;
      }
    } else if (this.pending.length > 0) {
      go(0);
      const history = this.pending.map((line) => `${line}${ERASE_REST}\r\n`).join('');
      bytes += `\r${height > 0 ? ERASE_BELOW : ''}${WRAP}${history}${NO_WRAP}`;
      this.pending = [];
      this.painted = [];
      height = 0;
      row = 0;
    }
    const keeps = height > 0 && lines.length <= height;
    if (keeps) bytes += SAVE;
    const mark = bytes.length;
    const home = row;
    for (const [index, line] of lines.entries()) {
      if (index < height && line === this.painted[index]) continue;
      let from = 0;
      if (index < height) {
        go(index);
        from = sameStart(this.painted[index], line);
        bytes += from > 0 ? `\r\x1b[${from}C` : '\r';
      } else if (index > 0) {
        go(index - 1);
        bytes += '\r\n';
        row = index;
      } else bytes += '\r';
      bytes += line.slice(from) + ERASE_REST;
    }
    if (lines.length < height) {
      go(lines.length);
      bytes += `\r${ERASE_BELOW}`;
    }
    if (keeps && bytes.length > mark) {
      bytes += RESTORE;
      row = home;
    } else if (keeps) bytes = bytes.slice(0, -SAVE.length);
    this.painted = lines;
    if (bytes === '' && caret.row === this.caret.row && caret.column === this.caret.column) return;
    go(caret.row);
    this.caret = caret;
    process.stdout.write(`\x1b[?2026h\x1b[?25l${NO_WRAP}${bytes}\x1b[${caret.column + 1}G${WRAP}\x1b[?25h\x1b[?2026l`);
  }
}

/** How long two rows are the same, as long as every character is plain and one column wide. */
function sameStart(before, after) {
  const most = Math.min(before.length, after.length);
  let at = 0;
  for (; at < most; at += 1) {
    const code = after.charCodeAt(at);
    if (code !== before.charCodeAt(at) || code < 32 || (code > 126 && (code < 0x2500 || code > 0x28ff))) break;
  }
  return at;
}
