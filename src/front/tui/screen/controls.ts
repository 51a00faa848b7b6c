/** What moves a terminal's cursor, erases, and changes its modes. */

export const UNWRAPPED = '\u001b[?7l';
export const WRAPPED = '\u001b[?7h';
export const SAVE_CURSOR = '\u001b7';
export const RESTORE_CURSOR = '\u001b8';
export const HIDE_CURSOR = '\u001b[?25l';
export const SHOW_CURSOR = '\u001b[?25h';
export const ERASE_BELOW = '\u001b[J';
export const ERASE_REST_OF_ROW = '\u001b[K';
export const RESET_STYLE = '\u001b[m';

/** The terminal shows all of what is between at once, if it can. */
export const BEGIN_FRAME = '\u001b[?2026h';
export const END_FRAME = '\u001b[?2026l';

export const ENTER_PAGE = '\u001b[?1049h';
export const LEAVE_PAGE = '\u001b[?1049l';

/** Keys as the kitty protocol has them: Shift+Enter and a lone Esc are told apart. Each screen has flags of its own. */
export const ASK_KITTY = '\u001b[?u';
export const PUSH_KITTY = '\u001b[>1u';
export const POP_KITTY = '\u001b[<u';

/** Pastes come in brackets; the window tells when it gets and loses the focus. */
export const BEGIN_INPUT = '\u001b[?2004h\u001b[?1004h';
export const ASK_BACKGROUND = '\u001b]11;?\u001b\\';
/** Everything that a frame or a session may have left on, off; safe in whatever state the terminal is. */
export const RESTORE = `${END_FRAME}${WRAPPED}${SHOW_CURSOR}\u001b[?2004l\u001b[?1004l${RESET_STYLE}`;

export function up(rows: number): string {
  return rows > 0 ? `\u001b[${rows}A` : '';
}

export function down(rows: number): string {
  return rows > 0 ? `\u001b[${rows}B` : '';
}

/**
 * Down by line feeds, which make the rows that are not there. The window may have become lower a moment ago: `down`
 * would stop at its last row then, and everything after it would go to a wrong place. The column is undefined after it.
 */
export function downInNew(rows: number): string {
  return '\n'.repeat(Math.max(0, rows));
}

export function right(columns: number): string {
  return columns > 0 ? `\u001b[${columns}C` : '';
}

export function toColumn(column: number): string {
  return `\u001b[${column + 1}G`;
}

export function toPlace(row: number, column: number): string {
  return `\u001b[${row + 1};${column + 1}H`;
}

export function insertRows(count: number): string {
  return `\u001b[${count}L`;
}
