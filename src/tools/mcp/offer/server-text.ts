/** A server's text for the model, cut at whole characters. */

import { neutralizeTags } from '../../../protocol/tags.js';

/** The limit of a description, or of a server's instructions (MC-17). */
const LONGEST = 2_048;

/** For text outside of results: it can't imitate our tags either. */
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

/** One line within a result. Escaping tags there is the loop's task. */
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
