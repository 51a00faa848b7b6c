/** Words of `echo` may be computed, because they are only printed. */

import type { Word } from 'unbash';

/** True if computed parts are in double quotes: unquoted, they could become file names. */
export function isHarmlessWhenPrinted({ parts = [] }: Word): boolean {
  const isComputed = parts.some(
    (part) => part.type === 'DoubleQuoted' && part.parts.some((one) => one.type !== 'Literal'),
  );
  return (
    isComputed &&
    parts.every(
      (part) =>
        part.type === 'Literal' ||
        part.type === 'SingleQuoted' ||
        (part.type === 'DoubleQuoted' &&
          part.parts.every(
            (one) =>
              one.type === 'Literal' ||
              (one.type === 'CommandExpansion' && one.script !== undefined) ||
              (one.type === 'SimpleExpansion' && one.text === '$?'),
          )),
    )
  );
}
