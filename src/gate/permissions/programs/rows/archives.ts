/** Programs that pack and unpack. */

import { examineTarList, examineUnpacked, examineUnzipList } from '../examine/exact.js';
import { objectToTar, objectUnless } from '../examine/objections.js';
import { each } from '../make-rows.js';
import type { Program } from '../program.js';

const PLAIN_VERSION = { words: ['--version'], where: 'anywhere' } as const;

export const ARCHIVES: Readonly<Record<string, Program>> = {
  tar: {
    reads: (words) => listing(examineTarList(words)),
    confined: objectToTar,
    valued: 'fCTXbgHKLNV',
    destroys: (args) =>
      args.some((arg) => '--remove-files'.startsWith(arg) && arg.length > 4)
        ? 'deletes what it packs (tar --remove-files)'
        : undefined,
    risks: [
      { names: 'absolute-names', letters: 'P', does: 'writes to paths outside' },
      {
        names:
          'to-command use-compress-program checkpoint-action info-script new-volume-script rsh-command rmt-command compress',
        letters: 'IFZ',
        does: 'runs another program',
      },
      { words: /^-[A-Za-z]*W/, does: 'may run another program' },
      { first: /^(?=[a-zA-Z]*[cxtru])[a-zA-Z]*[IFZ][a-zA-Z]*$/, does: 'may run another program' },
      { words: /^(?:-[a-zA-Z]*f)?[^/\s=-][^/\s=]*:/, does: 'reaches another machine' },
      { names: 'files-from', letters: 'T', does: 'reads the names of its files from a file' },
      { names: 'directory', letters: 'C', does: 'works in another folder' },
    ],
    longs:
      'create extract get list append update file format force-local compare concatenate delete diff dereference check-links',
    versions: PLAIN_VERSION,
  },
  zip: {
    risks: [
      { names: 'unzip-command', does: 'runs another program' },
      { words: /^-[A-Za-z]*TT/, does: 'runs another program' },
    ],
    longs: 'update test unicode',
    versions: PLAIN_VERSION,
  },
  unzip: {
    reads: (words) => listing(examineUnzipList(words)),
    confined: objectUnless(/^-[a-zA-Z]*[lvZptz]/),
    versions: PLAIN_VERSION,
  },
  zipinfo: { reads: (words) => listing(examineUnzipList(words)), confined: 'any' },
  ...each('zcat', { reads: (words) => examineUnpacked(words, /^-[cdfqv]+$/), confined: 'any' }),
  ...each('bzcat xzcat', { reads: (words) => examineUnpacked(words, /^-[cdq]+$/), confined: 'any' }),
  ...each('zstdcat lz4cat', { confined: 'any' }),
  gunzip: {
    reads: (words) => examineUnpacked(words, /^-(?=[cdfqv]*c)[cdfqv]+$/, true),
    confined: objectUnless(/^(?:-[a-z]*[cltV]|--(?:stdout|list|test|version|help))/),
  },
  gzip: {
    reads: (words) => examineUnpacked(words, /^-(?:(?=[dfqv]*c)(?=[cfqv]*d)[cdfqv]+|l|lv|t)$/, true),
    confined: objectUnless(/^(?:-[a-z]*[cltV]|--(?:stdout|list|test|version|help))/),
    versions: PLAIN_VERSION,
  },
  bzip2: { confined: objectUnless(/^(?:-[a-z]*[ct]|--(?:stdout|test))/) },
  ...each('xz zstd', { confined: objectUnless(/^(?:-[a-z]*[clt]|--(?:stdout|list|test))/) }),
  ar: {
    confined: objectUnless(/^-?[a-z]*[tp]/),
    risks: [
      { names: 'plugin', does: 'loads code' },
      { words: /^@|^-?M$/, does: 'takes its arguments from elsewhere' },
    ],
  },
  cpio: {
    confined: objectUnless(/^(?:-[a-z]*t|--list)/),
    risks: [
      { names: 'rsh-command', does: 'runs another program' },
      { words: /^[^/\s=-][^/\s=]*:/, does: 'reaches another machine' },
    ],
  },
  jar: {
    confined: objectUnless(/^(?:-?[a-z]*t|--list)/),
    risks: [{ words: /^@/, does: 'takes its arguments from a file' }],
  },
  '7z': { risks: [{ words: /^@/, does: 'takes its arguments from a file' }] },
};

function listing<F extends { readonly reads: boolean }>(found: F): F | undefined {
  return found.reads ? found : undefined;
}
