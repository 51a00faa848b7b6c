/** What is on the screen at one moment, as rows of text. Rows may have colour codes (SGR) and nothing else that controls a terminal. */

export type Size = { readonly columns: number; readonly rows: number };

export type Frame = {
  /** Each at most `columns - 1` wide. */
  readonly rows: readonly string[];
  /** Where the caret is: the terminal's own cursor stands there. Undefined: it is hidden. */
  readonly cursor?: { readonly row: number; readonly column: number } | undefined;
};
