/** Cells of a terminal as a picture that needs nothing else: text in the reader's own monospace font. */

const CELL = { width: 8.4, height: 18 };
const MARGIN = 14;
const COLOURS = { background: '#16181d', text: '#d5d8de', frame: '#2c3038', caret: '#d5d8de' };
const ANSI = `16181d e06c75 98c379 e5c07b 61afef c678dd 56b6c2 d5d8de
  7f848e ff7b86 b5e890 ffd68a 7cc4ff dd8ff0 6fd3de ffffff`.split(/\s+/);

/** `cursor`: where it stands, if the picture shall have it. */
export function toSvg(rows, { title, cursor }) {
  const last = rows.findLastIndex((cells) => cells.some(({ text, bg, isInverse }) => text !== ' ' || bg || isInverse));
  const count = Math.max(last, cursor?.row ?? 0) + 1;
  const width = round(rows[0].length * CELL.width + 2 * MARGIN);
  const height = count * CELL.height + 2 * MARGIN;
  const lines = rows.slice(0, count).flatMap((cells, row) => rowToSvg(cells, row));
  const caret =
    cursor === undefined
      ? []
      : [
          `<rect x="${xOf(cursor.column)}" y="${yOf(cursor.row)}" width="2" height="${CELL.height - 2}" fill="${COLOURS.caret}"/>`,
        ];
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${COLOURS.background}" stroke="${COLOURS.frame}"/>`,
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" fill="${COLOURS.text}" xml:space="preserve">`,
    ...lines,
    ...caret,
    '</g>',
    '</svg>',
  ].join('\n')}\n`;
}

function rowToSvg(cells, row) {
  const runs = runsOf(cells);
  const backgrounds = runs
    .filter(({ style }) => style.bg !== undefined)
    .map(
      ({ column, width, style }) =>
        `<rect x="${xOf(column)}" y="${yOf(row)}" width="${round(width * CELL.width)}" height="${CELL.height}" fill="${style.bg}"/>`,
    );
  const texts = runs.filter(({ text }) => text.trim() !== '').map(runToSvg);
  if (texts.length === 0) return backgrounds;
  return [...backgrounds, `<text y="${yOf(row) + 13}">${texts.join('')}</text>`];
}

/** Each run has its place and its length, so that another font moves nothing. */
function runToSvg({ column, width, text, style }) {
  const looks = [
    style.fg === undefined ? '' : ` fill="${style.fg}"`,
    style.isBold ? ' font-weight="bold"' : '',
    style.isItalic ? ' font-style="italic"' : '',
    style.isUnderlined ? ' text-decoration="underline"' : '',
    style.isDim ? ' opacity=".6"' : '',
  ].join('');
  return `<tspan x="${xOf(column)}" textLength="${round(width * CELL.width)}"${looks}>${escapeXml(text)}</tspan>`;
}

/** Neighbours that look the same, without the blanks around them. */
function runsOf(cells) {
  const runs = [];
  for (const [column, cell] of cells.entries()) {
    if (cell.width === 0) continue;
    const style = styleOf(cell);
    const key = JSON.stringify(style);
    const open = runs.at(-1);
    if (open?.key === key) {
      open.text += cell.text;
      open.width += cell.width;
    } else runs.push({ key, style, column, text: cell.text, width: cell.width });
  }
  return runs.map((run) => {
    if (run.style.bg !== undefined) return run;
    const blanks = run.text.length - run.text.trimStart().length;
    const text = run.text.trim();
    return { ...run, text, column: run.column + blanks, width: run.width - (run.text.length - text.length) };
  });
}

function styleOf({ fg, bg, isInverse, isBold, isDim, isItalic, isUnderlined }) {
  const front = colour(fg);
  const back = colour(bg);
  return {
    fg: isInverse ? (back ?? COLOURS.background) : front,
    bg: isInverse ? (front ?? COLOURS.text) : back,
    ...(isBold ? { isBold } : {}),
    ...(isDim ? { isDim } : {}),
    ...(isItalic ? { isItalic } : {}),
    ...(isUnderlined ? { isUnderlined } : {}),
  };
}

function colour(given) {
  if (given === undefined) return undefined;
  if ('rgb' in given) return `#${given.rgb.toString(16).padStart(6, '0')}`;
  const { index } = given;
  if (index < 16) return `#${ANSI[index]}`;
  if (index >= 232) return `#${(8 + (index - 232) * 10).toString(16).padStart(2, '0').repeat(3)}`;
  const level = (part) => (part === 0 ? 0 : 55 + part * 40).toString(16).padStart(2, '0');
  const cube = index - 16;
  return `#${level(Math.floor(cube / 36))}${level(Math.floor(cube / 6) % 6)}${level(cube % 6)}`;
}

const xOf = (column) => round(MARGIN + column * CELL.width);
const yOf = (row) => MARGIN + row * CELL.height;
const round = (size) => Math.round(size * 10) / 10;

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
