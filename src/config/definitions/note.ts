/** A problem within one file, before it is known which file. */

export type Note = {
  readonly severity: 'error' | 'warning';
  readonly line?: number;
  readonly message: string;
};
