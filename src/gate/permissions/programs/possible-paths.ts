/** Everything in a program's words that may be a path: whole words, and the text between separators or after an option's letter. */

import type { PathUse } from '../shell/finding.js';

const MOST_PARTS = 40;

export function possiblePaths(words: readonly string[], use: PathUse['use'], from = 1): readonly PathUse[] {
  return words.flatMap((word, at) => {
    if (at < from) return [];
    return [...partsOf(word)].map((path): PathUse => ({ at, path, use }));
  });
}

function partsOf(word: string): ReadonlySet<string> {
  const parts = new Set<string>();
  // `-ofile`, `-t.git/hooks`; in a cluster any letter may be the last option.
  if (/^-[^-]/.test(word)) {
    for (let from = 2; from < Math.min(word.length, 8); from += 1) parts.add(word.slice(from));
  } else if (!word.startsWith('-')) parts.add(word);
  const pieces = word.split(/[=:@,<;?#("']/, MOST_PARTS);
  for (const piece of pieces.slice(word.startsWith('-') ? 1 : 0)) parts.add(piece);
  for (const mark of word.matchAll(/[=:@]/g)) {
    if (parts.size > MOST_PARTS * 2) break;
    parts.add(word.slice(mark.index + 1));
  }
  // A download is stored under the last name of its URL.
  if (word.includes('://')) for (const part of [...parts]) parts.add(part.slice(part.lastIndexOf('/') + 1));
  parts.delete('');
  // Files may be put into a folder under invisible names: in a hidden folder, as its settings.
  for (const part of [...parts]) if (/(?:^|\/)\.[^./][^/]*[/.]*$/.test(part)) parts.add(`${part}/settings.json`);
  return parts;
}
