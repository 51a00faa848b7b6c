/** Programs that print, cut, compare and count text. */

import { examineAwk, examineLess } from '../examine/awk-and-less.js';
import { examineXxd } from '../examine/exact.js';
import { editsInPlace } from '../examine/file-edits.js';
import { examineJq, examineSed, findSedRisks } from '../examine/filters.js';
import { objectToOption } from '../examine/objections.js';
import { each, readers } from '../make-rows.js';
import type { Program } from '../program.js';

const HELP = 'help version';

const AWK: Program = { reads: examineAwk, confined: 'any', runs: 'code', code: 'operands' };

const SED: Program = {
  reads: examineSed,
  confined: objectToOption(/^(?:-[a-zA-Z]*i|--i)/, 'sed -i changes files'),
  check: findSedRisks,
  edits: editsInPlace,
};

export const TEXT: Readonly<Record<string, Program>> = {
  ...readers({
    cat: {
      flags: 'AbeEnstTuv',
      longs: `show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting ${HELP}`,
    },
    head: {
      flags: 'qvz',
      valued: 'nc',
      longs: `quiet silent verbose ${HELP}`,
      longValued: 'lines bytes',
      digits: true,
    },
    tail: {
      flags: 'qvz',
      valued: 'nc',
      longs: `quiet silent verbose ${HELP}`,
      longValued: 'lines bytes',
      digits: true,
    },
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
    md5sum: { flags: 'btz', longs: `binary text tag ${HELP}` },
    sha1sum: { flags: 'btz', longs: `binary text tag ${HELP}` },
    sha256sum: { flags: 'btz', longs: `binary text tag ${HELP}` },
    sha512sum: { flags: 'btz', longs: `binary text tag ${HELP}` },
    sha224sum: { flags: 'btz', longs: `binary text tag ${HELP}` },
    sha384sum: { flags: 'btz', longs: `binary text tag ${HELP}` },
    b2sum: { flags: 'btz', longs: `binary text tag ${HELP}` },
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
  }),
  ...each(
    'more bat batcat pr diff3 sdiff colordiff tsort sum factor numfmt dc yq xmllint look zless zmore zdiff zcmp cloc tokei scc',
    { confined: 'any' },
  ),
  cksum: { reads: { longs: HELP }, confined: 'any' },
  uniq: {
    reads: {
      flags: 'cdDiuz',
      valued: 'fsw',
      longs: `count repeated ignore-case unique zero-terminated ${HELP}`,
      longValued: 'skip-fields skip-chars check-chars',
      longOptional: 'all-repeated group',
      mostOperands: 1,
    },
    confined: 'any',
    valued: 'fsw',
  },
  sort: {
    reads: {
      flags: 'bcCdfghiMnrRsuVz',
      valued: 'ktS',
      longs: `ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort ignore-nonprinting month-sort numeric-sort reverse stable unique version-sort zero-terminated ${HELP}`,
      longValued: 'key field-separator parallel buffer-size sort',
      longOptional: 'check',
      texts: 't field-separator',
    },
    confined: objectToOption(/^(?:-[a-zA-Z]*o|--o)/, 'sort -o writes a file'),
    valued: 'oT',
    writes: 'o output',
    longs: 'output temporary-directory files0-from batch-size random-sort random-source merge debug',
    risks: [
      { names: 'compress-program', does: 'runs another program' },
      { names: 'files0-from', does: 'reads the names of its files from a file' },
      { names: 'temporary-directory', letters: 'T', does: 'writes to another folder' },
    ],
  },
  ...each('awk gawk mawk nawk original-awk', AWK),
  sed: SED,
  gsed: SED,
  less: {
    reads: examineLess,
    confined: 'any',
    writes: 'o O log-file LOG-FILE',
    risks: [
      {
        letters: 'k',
        names: 'lesskey-file lesskey-src lesskey-content',
        does: 'reads key bindings that can run programs',
      },
      { words: /^\+/, does: 'runs a command of less' },
    ],
  },
  jq: {
    reads: examineJq,
    confined: 'any',
    risks: [{ names: 'from-file', letters: 'fL', does: 'takes its program from a file' }],
    versions: { words: ['--version'], where: 'anywhere' },
  },
  xxd: { reads: examineXxd, confined: 'any' },
};
