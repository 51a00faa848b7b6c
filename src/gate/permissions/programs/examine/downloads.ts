/** Downloads whose file gets its name from the address: where that name is unclear, no rule covers it. */

import type { Problem } from '../../shell/read-options.js';

type Words = readonly (string | undefined)[];

/** `curl -O`: braces and brackets expand to many addresses, and one without a scheme is no path we would notice. */
export function findCurlRisks(words: Words): readonly Problem[] {
  const named = words.some((word) => /^(?:-[a-zA-Z#]*O|--remote-name)/.test(word ?? ''));
  return named ? unclearAddresses(words, (word) => /[{[]/.test(word) || !word.includes('://')) : [];
}

/** wget decodes the last part of the address. */
export function findWgetRisks(words: Words): readonly Problem[] {
  const named = words.some((word) => /^(?:-[a-zA-Z]*O|--output-document)/.test(word ?? ''));
  return named ? [] : unclearAddresses(words, (word) => word.includes('%') || !word.includes('://'));
}

function unclearAddresses(words: Words, isUnclear: (word: string) => boolean): readonly Problem[] {
  return words.flatMap((word, at) => {
    const isAddress = at > 0 && word !== undefined && /^(?!-)(?:\S*:\/\/|[^/\s]+\/)\S*$/.test(word);
    return isAddress && isUnclear(word)
      ? [{ at, reason: `the name of the file that ${words[0]} writes is unclear` }]
      : [];
  });
}
