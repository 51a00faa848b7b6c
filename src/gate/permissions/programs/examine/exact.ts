/** Readers whose own argument syntax allows only a few exact forms: xxd and archives. */

import type { Finding, PathUse } from '../../shell/finding.js';
import type { Problem } from '../../shell/read-options.js';

function only(problems: readonly Problem[], paths: readonly PathUse[] = []): Finding {
  return { reads: true, problems, paths };
}

function unproven(words: readonly string[], at: number): Problem {
  return { at, reason: `this form of ${words[0]} is not known to be harmless` };
}

/** It checks only the first letters of an option, and a second operand is a file to write. */
export function examineXxd(words: readonly string[]): Finding {
  const problems: Problem[] = [];
  const paths: PathUse[] = [];
  let operands = 0;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (/^-(?:[abCEeiuvd]|p|ps|plain)$/.test(word) || /^-[cglos]\d+$/.test(word)) continue;
    if (/^-[cglos]$/.test(word) && /^[-+]?(?:0x[\da-f]+|\d+)$/.test(words[at + 1] ?? '')) at += 1;
    else {
      if (word !== '-' && word.startsWith('-')) problems.push(unproven(words, at));
      else if (operands > 0) problems.push(unproven(words, at));
      else if (word !== '-') paths.push({ at, path: word, use: 'read' });
      operands += 1;
    }
  }
  return only(problems, paths);
}

/** A name with a colon would refer to another machine. */
export function examineTarList(words: readonly string[]): Finding {
  const isList = /^-?(?=[vzjJ]*t)[tvzjJ]+f$/.test(words[1] ?? '');
  const archive = words[2] ?? '';
  if (!isList || !/^[^-:][^:]*$/.test(archive)) return notListing(words);
  const members = words.flatMap((word, at) => (at > 2 && word.startsWith('-') ? [unproven(words, at)] : []));
  return only(members, [{ at: 2, path: archive, use: 'read' }]);
}

/** If the archive does not exist, unzip tries it with its own extension. */
export function examineUnzipList(words: readonly string[]): Finding {
  const isList = words[0] === 'zipinfo' || /^-(?:l|v|lv|ql|qql|Z|Z1|t|tq|z)$/.test(words[1] ?? '');
  const at = words[0] === 'zipinfo' && !/^-[1lmsv]$/.test(words[1] ?? '') ? 1 : 2;
  const archive = words[at] ?? '';
  if (!isList || !/^[^-*?[\]\\][^*?[\]\\]*$/.test(archive)) return notListing(words);
  const members = words.flatMap((word, index) => (index > at && word.startsWith('-') ? [unproven(words, index)] : []));
  const paths = ['', '.zip', '.ZIP'].map((ending): PathUse => ({ at, path: `${archive}${ending}`, use: 'read' }));
  return only(members, paths);
}

function notListing(words: readonly string[]): Finding {
  return { reads: false, problems: [unproven(words, words.length - 1)], paths: [] };
}

/** A name without a known extension is tried with one, which may be a link. `needsOption`: it would replace the file. */
export function examineUnpacked(words: readonly string[], options: RegExp, needsOption = false): Finding {
  const problems: Problem[] = [];
  const paths: PathUse[] = [];
  words.forEach((word, at) => {
    if (at === 0 || options.test(word)) return;
    if (word !== '-' && (word.startsWith('-') || !/\.(?:gz|tgz|z|Z|bz2|tbz2?|xz|txz|lzma)$/.test(word)))
      problems.push(unproven(words, at));
    else if (word !== '-') paths.push({ at, path: word, use: 'read' });
  });
  if (needsOption && !words.some((word, at) => at > 0 && options.test(word))) problems.push(unproven(words, 0));
  return only(problems, paths);
}
