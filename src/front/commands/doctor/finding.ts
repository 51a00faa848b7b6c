/** What a check of the machine found. */

export type Finding = {
  readonly check: string;
  /** `note`: nothing is wrong, but something is missing. */
  readonly state: 'ok' | 'note' | 'problem';
  readonly found: string;
};
