/** Programs that only read, with the options known to be harmless. Anything not listed asks. */

import type { OptionSpec } from '../shell/read-options.js';

export type SimpleReader = OptionSpec & {
  /** The meaning of operands. Default: files to read. */
  readonly operands?: 'files' | 'text' | 'none';
  readonly mostOperands?: number;
  /** Options whose value is any text, like a delimiter. Other values in separate words are also checked as paths. */
  readonly texts?: string;
  /** Given a folder, it follows the links inside. */
  readonly filesOnly?: true;
  /** Arguments that start with `@` name a file with more arguments. */
  readonly argumentFiles?: true;
  /** The read-only sandbox would change its output. */
  readonly confinedNever?: true;
};

const HELP = 'help version';

export const SIMPLE_READERS: Readonly<Record<string, SimpleReader>> = {
  cat: {
    flags: 'AbeEnstTuv',
    longs: `show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting ${HELP}`,
  },
  ls: {
    flags: '1aAbBcCdfFgGhHiklmnNopqQrRsStuUvxXZ',
    valued: 'ITw',
    longs: `all almost-all author escape directory classify full-time group-directories-first no-group human-readable si inode numeric-uid-gid literal quote-name reverse recursive size context file-type zero ${HELP}`,
    longValued: 'block-size format hide ignore indicator-style quoting-style sort time time-style tabsize width',
    longOptional: 'color classify hyperlink',
    texts: 'I hide ignore',
  },
  head: { flags: 'qvz', valued: 'nc', longs: `quiet silent verbose ${HELP}`, longValued: 'lines bytes', digits: true },
  tail: { flags: 'qvz', valued: 'nc', longs: `quiet silent verbose ${HELP}`, longValued: 'lines bytes', digits: true },
  wc: { flags: 'cmlLw', longs: `bytes chars lines max-line-length words ${HELP}` },
  nl: { flags: 'p', valued: 'bdfhilnsvw', longs: HELP, texts: 'b d f h s' },
  tac: { flags: 'br', valued: 's', longs: HELP, texts: 's' },
  rev: { longs: HELP },
  cut: {
    flags: 'sz',
    valued: 'bcdf',
    longs: `complement only-delimited ${HELP}`,
    longValued: 'bytes characters delimiter fields output-delimiter',
    texts: 'd delimiter output-delimiter',
  },
  paste: { flags: 'sz', valued: 'd', longs: `serial ${HELP}`, longValued: 'delimiters', texts: 'd delimiters' },
  fold: { flags: 'bs', valued: 'w', longs: HELP },
  expand: { flags: 'i', valued: 't', longs: HELP },
  unexpand: { flags: 'a', valued: 't', longs: HELP },
  column: { flags: 'tx', valued: 'sco', longs: 'table', texts: 's o' },
  comm: { flags: '123z', longs: `check-order nocheck-order total ${HELP}` },
  cmp: { flags: 'bls', valued: 'n', longs: `print-bytes verbose quiet silent ${HELP}` },
  diff: {
    flags: 'qsuycewbBidatTE',
    valued: 'UCWI',
    longs: `brief report-identical-files side-by-side ignore-case ignore-all-space ignore-space-change ignore-blank-lines minimal text suppress-common-lines strip-trailing-cr ${HELP}`,
    longValued: 'width label',
    longOptional: 'unified context color',
    texts: 'I label',
    filesOnly: true,
  },
  tr: { flags: 'cCdst', longs: `complement delete squeeze-repeats truncate-set1 ${HELP}`, operands: 'text' },
  sort: {
    flags: 'bcCdfghiMnrRsuVz',
    valued: 'ktS',
    longs: `ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort ignore-nonprinting month-sort numeric-sort reverse stable unique version-sort zero-terminated ${HELP}`,
    longValued: 'key field-separator parallel buffer-size sort',
    longOptional: 'check',
    texts: 't field-separator',
  },
  uniq: {
    flags: 'cdDiuz',
    valued: 'fsw',
    longs: `count repeated ignore-case unique zero-terminated ${HELP}`,
    longValued: 'skip-fields skip-chars check-chars',
    longOptional: 'all-repeated group',
    mostOperands: 1,
  },
  stat: {
    flags: 'Lft',
    valued: 'c',
    longs: `dereference file-system terse ${HELP}`,
    longValued: 'format printf',
    texts: 'c format printf',
  },
  file: {
    flags: 'bhiLkNnr0',
    longs: 'brief mime mime-type mime-encoding extension dereference no-dereference help version',
  },
  du: {
    flags: '0abcDhHklmPsSx',
    valued: 'dBt',
    longs: `all apparent-size bytes total human-readable summarize one-file-system separate-dirs inodes ${HELP}`,
    longValued: 'max-depth block-size exclude threshold',
    longOptional: 'time',
    texts: 'exclude',
  },
  df: {
    flags: 'ahHiklPT',
    valued: 'Btx',
    longs: `all human-readable inodes portability print-type total ${HELP}`,
    longValued: 'type block-size',
    longOptional: 'output',
    confinedNever: true,
  },
  tree: {
    flags: 'adfipsughDFCAnJQNqvtcrUSx',
    valued: 'LPI',
    longs: `dirsfirst noreport gitignore prune inodes device du si matchdirs ignore-case ${HELP}`,
    longValued: 'filelimit sort charset timefmt',
    texts: 'P I timefmt',
  },
  basename: {
    flags: 'az',
    valued: 's',
    longs: `multiple zero ${HELP}`,
    longValued: 'suffix',
    operands: 'text',
    texts: 's suffix',
  },
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
  sha224sum: { flags: 'btz', longs: `binary text tag ${HELP}` },
  sha384sum: { flags: 'btz', longs: `binary text tag ${HELP}` },
  b2sum: { flags: 'btz', longs: `binary text tag ${HELP}` },
  cksum: { longs: HELP },
  base32: { flags: 'di', valued: 'w', longs: `decode ignore-garbage ${HELP}`, longValued: 'wrap' },
  base64: { flags: 'di', valued: 'w', longs: `decode ignore-garbage ${HELP}`, longValued: 'wrap' },
  od: {
    flags: 'abcdfiloxsvhDFHILOX',
    valued: 'ANjtS',
    // `-w` alone takes no value: the next word is a file.
    optional: 'w',
    longs: `output-duplicates ${HELP}`,
    longValued: 'address-radix skip-bytes read-bytes format endian',
    longOptional: 'width strings',
  },
  hexdump: { flags: 'bcCdovx', valued: 'nse', texts: 'e' },
  hd: { flags: 'bcCdovx', valued: 'nse', texts: 'e' },
  strings: {
    flags: 'afow',
    valued: 'nteU',
    longs: 'all print-file-name include-all-whitespace',
    longValued: 'bytes radix encoding',
    digits: true,
    argumentFiles: true,
  },
  nm: {
    flags: 'aABCDgnoprSuUPWj',
    valued: 'ft',
    longs:
      'debug-syms print-file-name dynamic extern-only numeric-sort no-sort portability print-size reverse-sort size-sort undefined-only defined-only',
    longValued: 'format radix',
    longOptional: 'demangle',
    argumentFiles: true,
  },
  readelf: {
    flags: 'ahlSgtesnrudVAIW',
    valued: 'xp',
    longs:
      'all file-header program-headers segments section-headers sections headers syms symbols dyn-syms notes relocs unwind dynamic version-info arch-specific histogram wide',
    longValued: 'hex-dump string-dump',
    argumentFiles: true,
  },
  join: {
    flags: 'iz',
    valued: 'aejotv12',
    longs: `ignore-case check-order nocheck-order header zero-terminated ${HELP}`,
    texts: 'e t',
  },
  shuf: {
    flags: 'erz',
    valued: 'in',
    longs: `echo repeat zero-terminated ${HELP}`,
    longValued: 'input-range head-count',
  },
  fmt: { flags: 'cstu', valued: 'wg', longs: HELP },
  bc: { flags: 'lqsw', longs: 'mathlib quiet standard warn' },
  seq: { flags: 'w', valued: 'fs', longs: `equal-width ${HELP}`, operands: 'text', digits: true, texts: 'f s' },
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
  free: { flags: 'bkmghtwlv', longs: `human total ${HELP}`, operands: 'none' },
  getconf: { flags: 'a', operands: 'text', mostOperands: 1 },
  locale: { flags: 'amck', longs: 'all-locales charmaps', operands: 'text' },
  tty: { flags: 's', operands: 'none' },
  logname: { operands: 'none' },
  who: { flags: 'abHmqsTu', operands: 'none', confinedNever: true },
  pgrep: {
    flags: 'lafcinovx',
    valued: 'dgGPstuU',
    longs: 'list-name list-full full count ignore-case newest oldest inverse exact',
    longValued: 'delimiter pgroup group parent session terminal euid uid',
    operands: 'text',
    mostOperands: 1,
    texts: 'd delimiter',
    confinedNever: true,
  },
  pidof: { flags: 's', operands: 'text', confinedNever: true },
  ss: {
    flags: 'nalotuwxpiems46H',
    longs: 'numeric all listening options extended memory processes info summary ipv4 ipv6 tcp udp raw unix no-header',
    operands: 'none',
    confinedNever: true,
  },
  netstat: { flags: 'antulpsx', operands: 'none', confinedNever: true },
  lscpu: { flags: 'abBJxy', operands: 'none' },
  lsblk: { flags: 'fpalbdJ', operands: 'none', confinedNever: true },
  which: { flags: 'a', longs: 'all', operands: 'text' },
  whereis: { flags: 'bms', operands: 'text' },
  type: { flags: 'afptP', operands: 'text' },
  cal: { flags: '13my', operands: 'text' },
};
