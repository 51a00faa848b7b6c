/** A problem in a definition, before its file is known. */

export type Note = {
  readonly severity: 'error' | 'warning';
  readonly line?: number;
  readonly message: string;
};
