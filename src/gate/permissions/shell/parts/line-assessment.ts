/** What the assessment of a command line finds: the parts that nothing covers, and what the others need. */

import type { Rule } from '../../rules/rule.js';
import type { CoverInput } from './cover-by-rule.js';

export type LineInput = CoverInput;

/** A part of a line that nothing covers. */
export type Uncovered = {
  /** As written. */
  readonly part: string;
  readonly reason: string;
  /** It does, or may do, more than read. */
  readonly changes: boolean;
  /** The allow rule that came nearest. */
  readonly nearest?: Rule;
  /** No rule helps: a protected name, or the limits of an agent. */
  readonly firm?: true;
  /** The folder would have to be trusted. */
  readonly needsTrust?: true;
};

export type LineAssessment = {
  readonly uncovered: readonly Uncovered[];
  /** The rules that cover parts of it. */
  readonly rules: readonly Rule[];
  /** A rule names a program that runs whatever it is given. */
  readonly isRunner: boolean;
  /** Parts of it edit files, as the mode allows. */
  readonly edits: boolean;
  readonly changes: readonly string[];
  readonly git: boolean;
  /** It is fine only with the programs of the repository off. */
  readonly programs: 'on' | 'off';
  /** A rule names a program that starts containers. */
  readonly containers: boolean;
  readonly by: readonly string[];
};
