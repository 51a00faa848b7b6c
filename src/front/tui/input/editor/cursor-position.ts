/** A position between two cells. */
export type CursorPosition = { readonly line: number; readonly cell: number };

export function comparePositions(one: CursorPosition, other: CursorPosition): number {
  return one.line - other.line || one.cell - other.cell;
}

export function isSamePosition(one: CursorPosition, other: CursorPosition): boolean {
  return comparePositions(one, other) === 0;
}
