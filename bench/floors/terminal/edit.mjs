/** A small editor of several lines: graphemes, and where the caret is. */

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

export class EditModel {
  lines = [[]];
  row = 0;
  column = 0;

  insert(text) {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) this.newline();
      const graphemes = Array.from(segmenter.segment(part), ({ segment }) => segment);
      this.lines[this.row].splice(this.column, 0, ...graphemes);
      this.column += graphemes.length;
    }
  }

  newline() {
    const rest = this.lines[this.row].splice(this.column);
    this.row += 1;
    this.lines.splice(this.row, 0, rest);
    this.column = 0;
  }

  back() {
    if (this.column > 0) {
      this.column -= 1;
      this.lines[this.row].splice(this.column, 1);
    } else if (this.row > 0) {
      const [line] = this.lines.splice(this.row, 1);
      this.row -= 1;
      this.column = this.lines[this.row].length;
      this.lines[this.row].push(...line);
    }
  }

  get value() {
    return this.lines.map((line) => line.join('')).join('\n');
  }

  clear() {
    this.lines = [[]];
    this.row = 0;
    this.column = 0;
  }

  /** Rows at a width, at most `max` around the caret, with the caret's place. */
  rows(width, widthOf, max = 8) {
    const out = [];
    let caret = { row: 0, column: 0 };
    for (const [row, line] of this.lines.entries()) {
      let text = '';
      let used = 0;
      const wrap = () => {
        out.push(text);
        text = '';
        used = 0;
      };
      for (const [column, grapheme] of line.entries()) {
        const wide = widthOf(grapheme);
        if (used + wide > width) wrap();
        if (row === this.row && column === this.column) caret = { row: out.length, column: used };
        text += grapheme;
        used += wide;
      }
      if (row === this.row && this.column === line.length) {
        if (used >= width) wrap();
        caret = { row: out.length, column: used };
      }
      out.push(text);
    }
    const top = Math.max(0, Math.min(caret.row - (max >> 1), out.length - max));
    return { rows: out.slice(top, top + max), caret: { row: caret.row - top, column: caret.column } };
  }
}
