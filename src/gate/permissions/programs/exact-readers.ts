/** Readers whose own argument syntax allows only a few exact forms: ps, xxd, archives, lsof. */

import type { Finding, PathUse } from '../shell/finding.js';
import type { Problem } from '../shell/read-options.js';

type Examine = (words: readonly string[]) => Finding;

export const EXACT_READERS: Readonly<Record<string, Examine>> = {
  ps: examinePs,
  xxd: examineXxd,
  tar: examineTarList,
  unzip: examineUnzipList,
  zipinfo: examineUnzipList,
  zcat: (words) => examineUnpacked(words, /^-[cdfqv]+$/),
  gunzip: (words) => examineUnpacked(words, /^-(?=[cdfqv]*c)[cdfqv]+$/, true),
  gzip: (words) => examineUnpacked(words, /^-(?:(?=[dfqv]*c)(?=[cfqv]*d)[cdfqv]+|l|lv|t)$/, true),
  bzcat: (words) => examineUnpacked(words, /^-[cdq]+$/),
  xzcat: (words) => examineUnpacked(words, /^-[cdq]+$/),
  lsof: examineLsof,
  expr: () => ({ reads: true, problems: [], paths: [] }),
};

function only(problems: readonly Problem[], paths: readonly PathUse[] = []): Finding {
  return { reads: true, problems, paths };
}

function unproven(words: readonly string[], at: number): Problem {
  return { at, reason: `this form of ${words[0]} is not known to be harmless` };
}

/** At most one of these. */
const PS_FORMS = new Set('-A -Af -a -e -eF -ef -el -ely -f -F -l a ax axf axu aux auxf auxww auxwww u x'.split(' '));
const PS_COLUMNS = new Set(
  `pid ppid pgid sid tty tt stat state s time etime etimes cputime pcpu %cpu c pmem %mem rss rsz vsz sz comm ucmd args cmd command
  user uid ruser euser ruid euid group gid ni nice pri psr wchan start lstart start_time stime nlwp lwp`.split(/\s+/),
);

/**
 * If any argument is invalid, ps reads all of them again in BSD syntax, where an `e` prints every program's environment,
 * so each must be certainly valid.
 */
function examinePs(words: readonly string[]): Finding {
  const problems: Problem[] = [];
  let hasForm = false;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const columns = /^(?:-o|-eo|-Ao|axo|--format)$/.test(word);
    if (/^(?:--forest|--no-headers|-?ww)$/.test(word)) continue;
    if (PS_FORMS.has(word) && !hasForm) {
      hasForm = true;
      continue;
    }
    if (/^(?:-p|--pid|--ppid)$/.test(word) && /^[1-9]\d{0,8}(?:,[1-9]\d{0,8})*$/.test(words[at + 1] ?? '')) at += 1;
    else if (columns && areColumns(words[at + 1] ?? '') && (word === '-o' || !hasForm)) {
      hasForm = true;
      at += 1;
    } else if (/^--sort=/.test(word) && areColumns(word.slice(7).replace(/(^|,)[-+]/g, '$1'))) continue;
    else problems.push(unproven(words, at));
  }
  return { ...only(problems), confinedNever: true };
}

function areColumns(list: string): boolean {
  return list.split(',').every((column) => PS_COLUMNS.has(column.replace(/=$/, '')));
}

/** It checks only the first letters of an option, and a second operand is a file to write. */
function examineXxd(words: readonly string[]): Finding {
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
function examineTarList(words: readonly string[]): Finding {
  const isList = /^-?(?=[vzjJ]*t)[tvzjJ]+f$/.test(words[1] ?? '');
  const archive = words[2] ?? '';
  if (!isList || !/^[^-:][^:]*$/.test(archive)) return notListing(words);
  const members = words.flatMap((word, at) => (at > 2 && word.startsWith('-') ? [unproven(words, at)] : []));
  return only(members, [{ at: 2, path: archive, use: 'read' }]);
}

/** If the archive does not exist, unzip tries it with its own extension. */
function examineUnzipList(words: readonly string[]): Finding {
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
function examineUnpacked(words: readonly string[], options: RegExp, needsOption = false): Finding {
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

/** A host name would be looked up on the network. */
function examineLsof(words: readonly string[]): Finding {
  const problems: Problem[] = [];
  const address = /^[46]?(?:tcp|udp)?(?:@\d{1,3}(?:\.\d{1,3}){3})?(?::[\w,-]+)?$/i;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (/^-[nPtl]+$/.test(word) || /^-sTCP:[A-Z]+$/.test(word)) continue;
    if (/^-[nPtl]*i/.test(word) && address.test(word.slice(word.indexOf('i') + 1))) {
      if (word.endsWith('i') && address.test(words[at + 1] ?? '-')) at += 1;
    } else if (/^-[nPtl]*p$/.test(word) && /^\d+(?:,\d+)*$/.test(words[at + 1] ?? '')) at += 1;
    else problems.push(unproven(words, at));
  }
  // Without a limit it lists every file that any program has open.
  if (words.length === 1) problems.push(unproven(words, 0));
  return { ...only(problems), confinedNever: true };
}
