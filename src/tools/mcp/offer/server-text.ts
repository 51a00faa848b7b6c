/** Text of a server for a model's eyes: cut, in whole characters. */

import { neutralizeTags } from '../../../protocol/tags.js';

/** Of a description, or of the instructions of a server (MC-17). */
const LONGEST = 2_048;

/** For what is said outside of results: it can't imitate our tags either. */
export function serverText(value: string, most: number = LONGEST): string {
  return cut(
    neutralizeTags(
      value
        .slice(0, most * 2)
        .toWellFormed()
        .trim(),
    ),
    most,
  );
}

/** One line within a result. Marking tags there is the loop's work. */
export function resultLine(value: string, most: number): string {
  return cut(
    value
      .slice(0, most * 2)
      .toWellFormed()
      .replace(/\s+/g, ' ')
      .trim(),
    most,
  );
}

function cut(value: string, most: number): string {
  if (value.length <= most) return value;
  return `${value
    .slice(0, most - 1)
    .toWellFormed()
    .trimEnd()}…`;
}
