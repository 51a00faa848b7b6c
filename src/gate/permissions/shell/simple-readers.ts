/** Programs that only read, with the options known to be harmless. Anything not listed asks. */

import type { OptionSpec } from './read-options.js';

export type SimpleReader = OptionSpec & {
  /** What the operands are. Default: files to read. */
  readonly operands?: 'files' | 'text' | 'none';
  readonly mostOperands?: number;
};

const HELP = 'help version';

export const SIMPLE_READERS: Readonly<Record<string, SimpleReader>> = {
  cat: {
    flags: 'AbeEnstTuv',
    longs: `show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting ${HELP}`,
  },
  ls: {
    flags: '1aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ',
    valued: 'ITw',
    longs: `all almost-all author escape directory classify full-time group-directories-first no-group human-readable si inode numeric-uid-gid literal quote-name reverse recursive size context ${HELP}`,
    longValued: 'block-size format hide ignore indicator-style quoting-style sort time time-style tabsize width',
    longOptional: 'color classify hyperlink',
  },
  head: { flags: 'qvz', valued: 'nc', longs: `quiet silent verbose ${HELP}`, longValued: 'lines bytes', digits: true },
  tail: { flags: 'qvz', valued: 'nc', longs: `quiet silent verbose ${HELP}`, longValued: 'lines bytes', digits: true },
  wc: { flags: 'cmlLw', longs: `bytes chars lines max-line-length words ${HELP}` },
  nl: { flags: 'p', valued: 'bdfhilnsvw', longs: HELP },
  tac: { flags: 'br', valued: 's', longs: HELP },
  rev: { longs: HELP },
  cut: {
    flags: 'sz',
    valued: 'bcdf',
    longs: `complement only-delimited ${HELP}`,
    longValued: 'bytes characters delimiter fields output-delimiter',
  },
  paste: { flags: 'sz', valued: 'd', longs: `serial ${HELP}`, longValued: 'delimiters' },
  fold: { flags: 'bs', valued: 'w', longs: HELP },
  expand: { flags: 'i', valued: 't', longs: HELP },
  unexpand: { flags: 'a', valued: 't', longs: HELP },
  column: { flags: 'tx', valued: 'sco', longs: 'table' },
  comm: { flags: '123z', longs: `check-order nocheck-order total ${HELP}` },
  cmp: { flags: 'bls', valued: 'n', longs: `print-bytes verbose quiet silent ${HELP}` },
  diff: {
    flags: 'qsuycewbBidatTE',
    valued: 'UCWI',
    longs: `brief report-identical-files side-by-side ignore-case ignore-all-space ignore-space-change ignore-blank-lines minimal text suppress-common-lines strip-trailing-cr ${HELP}`,
    longValued: 'width label',
    longOptional: 'unified context color',
  },
  tr: { flags: 'cCdst', longs: `complement delete squeeze-repeats truncate-set1 ${HELP}`, operands: 'text' },
  sort: {
    flags: 'bcCdfghiMnrRsuVz',
    valued: 'kt',
    longs: `ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort ignore-nonprinting month-sort numeric-sort reverse stable unique version-sort zero-terminated ${HELP}`,
    longValued: 'key field-separator',
    longOptional: 'check',
  },
  uniq: {
    flags: 'cdDiuz',
    valued: 'fsw',
    longs: `count repeated ignore-case unique ${HELP}`,
    longValued: 'skip-fields skip-chars check-chars',
    mostOperands: 1,
  },
  stat: { flags: 'Lft', valued: 'c', longs: `dereference file-system terse ${HELP}`, longValued: 'format printf' },
  file: { flags: 'bhiLkNnpr0', longs: 'brief mime mime-type mime-encoding dereference no-dereference help version' },
  du: {
    flags: '0abcDhHklmsSx',
    valued: 'dBt',
    longs: `all apparent-size bytes total human-readable summarize one-file-system separate-dirs ${HELP}`,
    longValued: 'max-depth block-size exclude threshold',
  },
  df: {
    flags: 'ahHiklPT',
    valued: 'Btx',
    longs: `all human-readable inodes portability print-type total ${HELP}`,
    longValued: 'type block-size',
  },
  tree: {
    flags: 'adfipsughDFCAnJQNqvtcrUSx',
    valued: 'LPI',
    longs: `dirsfirst noreport gitignore prune inodes device du si matchdirs ignore-case ${HELP}`,
    longValued: 'filelimit sort charset timefmt',
    digits: false,
  },
  basename: { flags: 'az', valued: 's', longs: `multiple zero ${HELP}`, longValued: 'suffix', operands: 'text' },
  dirname: { flags: 'z', longs: `zero ${HELP}`, operands: 'text' },
  realpath: {
    flags: 'emqsz',
    longs: `canonicalize-existing canonicalize-missing no-symlinks quiet zero ${HELP}`,
    longValued: 'relative-to relative-base',
  },
  readlink: { flags: 'efmnqsvz', longs: `canonicalize canonicalize-existing no-newline ${HELP}` },
  md5sum: { flags: 'btz', longs: `binary text tag ${HELP}` },
  sha1sum: { flags: 'btz', longs: `binary text tag ${HELP}` },
  sha256sum: { flags: 'btz', longs: `binary text tag ${HELP}` },
  sha512sum: { flags: 'btz', longs: `binary text tag ${HELP}` },
  cksum: { longs: HELP },
  base64: { flags: 'di', valued: 'w', longs: `decode ignore-garbage ${HELP}`, longValued: 'wrap' },
  od: {
    flags: 'abcdfiloxsvhDFHILOX',
    valued: 'ANjtw',
    longs: `output-duplicates ${HELP}`,
    longValued: 'address-radix skip-bytes read-bytes format',
  },
  hexdump: { flags: 'bcCdovx', valued: 'ns' },
  seq: { flags: 'w', valued: 'fs', longs: `equal-width ${HELP}`, operands: 'text', digits: true },
  sleep: { longs: HELP, operands: 'text' },
  true: { operands: 'text' },
  false: { operands: 'text' },
  pwd: { flags: 'LP', operands: 'none' },
  whoami: { longs: HELP, operands: 'none' },
  id: { flags: 'aGgnruzZ', longs: `group groups name real user zero ${HELP}`, operands: 'text' },
  groups: { longs: HELP, operands: 'text' },
  uname: {
    flags: 'asnrvmpio',
    longs: `all kernel-name nodename kernel-release kernel-version machine processor operating-system ${HELP}`,
    operands: 'none',
  },
  arch: { operands: 'none' },
  hostname: { flags: 'fsdiI', operands: 'none' },
  nproc: { longs: `all ${HELP}`, operands: 'none' },
  uptime: { flags: 'ps', longs: `pretty since ${HELP}`, operands: 'none' },
  free: { flags: 'bkmghtw', longs: `human total ${HELP}`, operands: 'none' },
  lscpu: { operands: 'none' },
  lsblk: { flags: 'fpa', operands: 'none' },
  which: { flags: 'a', longs: 'all', operands: 'text' },
  whereis: { flags: 'bms', operands: 'text' },
  type: { flags: 'afptP', operands: 'text' },
  cal: { flags: '13my', operands: 'text' },
};
