/** Words of `echo`: what is only printed may be computed. */

import type { Word } from 'unbash';

/** Computed parts in double quotes only: unquoted, they could become names of files. */
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
