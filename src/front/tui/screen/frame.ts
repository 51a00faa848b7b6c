/** The content of the screen at one moment, as rows of text. Rows may have colour codes (SGR) but no other controls. */

export type Size = { readonly columns: number; readonly rows: number };

export type Frame = {
  /** Each at most `columns - 1` wide. */
  readonly rows: readonly string[];
  /** The position of the terminal's cursor. Undefined: it is hidden. */
  readonly cursor?: { readonly row: number; readonly column: number } | undefined;
};
