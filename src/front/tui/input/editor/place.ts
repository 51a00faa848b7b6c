/** A place between two cells. */
export type Place = { readonly line: number; readonly cell: number };

export function comparePlaces(one: Place, other: Place): number {
  return one.line - other.line || one.cell - other.cell;
}

export function isSamePlace(one: Place, other: Place): boolean {
  return comparePlaces(one, other) === 0;
}
