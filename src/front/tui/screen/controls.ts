/** Control sequences: cursor movement, erasing, terminal modes. */

export const UNWRAPPED = '\u001b[?7l';
export const WRAPPED = '\u001b[?7h';
export const SAVE_CURSOR = '\u001b7';
export const RESTORE_CURSOR = '\u001b8';
export const HIDE_CURSOR = '\u001b[?25l';
export const SHOW_CURSOR = '\u001b[?25h';
export const ERASE_BELOW = '\u001b[J';
export const ERASE_REST_OF_ROW = '\u001b[K';
export const RESET_STYLE = '\u001b[m';

/** The terminal shows everything between them at once, if it can. */
export const BEGIN_FRAME = '\u001b[?2026h';
export const END_FRAME = '\u001b[?2026l';

export const ENTER_PAGE = '\u001b[?1049h';
export const LEAVE_PAGE = '\u001b[?1049l';

/** Keys by the kitty protocol: distinguishes Shift+Enter and a lone Esc. Each screen has its own flags. */
export const ASK_KITTY = '\u001b[?u';
export const PUSH_KITTY = '\u001b[>1u';
export const POP_KITTY = '\u001b[<u';

/** Enables bracketed paste and focus reports. */
export const BEGIN_INPUT = '\u001b[?2004h\u001b[?1004h';
export const ASK_BACKGROUND = '\u001b]11;?\u001b\\';
/** Turns off everything that a frame or a session may have left on; safe in any state of the terminal. */
export const RESTORE = `${END_FRAME}${WRAPPED}${SHOW_CURSOR}\u001b[?2004l\u001b[?1004l${RESET_STYLE}`;

export function up(rows: number): string {
  return rows > 0 ? `\u001b[${rows}A` : '';
}

export function down(rows: number): string {
  return rows > 0 ? `\u001b[${rows}B` : '';
}

/**
 * Moves down by line feeds, which create missing rows. The window may just have become lower: `down` would stop at its
 * last row, and everything after it would go to a wrong place. The column is undefined afterwards.
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

export function toPosition(row: number, column: number): string {
  return `\u001b[${row + 1};${column + 1}H`;
}

export function insertRows(count: number): string {
  return `\u001b[${count}L`;
}
