/** The parts of a `stream-json` line. */

export type Line = Readonly<Record<string, unknown>>;

export type LineOptions = {
  readonly session: string;
  readonly newId: () => string;
  /** Wall time, in milliseconds. */
  readonly now: () => number;
  /** Include partial replies as they stream. */
  readonly partial: boolean;
};

/** Drops fields without a value. */
export function definedFields(fields: Line): Line {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

export function timestamp({ now }: Pick<LineOptions, 'now'>): string {
  return new Date(now()).toISOString();
}
