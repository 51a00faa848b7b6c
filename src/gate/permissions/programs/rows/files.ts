/** Programs that list, describe, copy, move and change files. */

import {
  changesModes,
  copies,
  links,
  makesFolders,
  moves,
  removes,
  removesFolders,
  tees,
  touches,
} from '../examine/file-edits.js';
import { objectToOption } from '../examine/objections.js';
import { each, readers } from '../make-rows.js';
import type { Program } from '../program.js';

const HELP = 'help version';

const forced = (name: string) => (args: readonly string[]) =>
  args.some((arg) => /^(?:-[A-Za-z]*f|--force)/.test(arg)) ? `overwrites without asking (${name} -f)` : undefined;

const deletes = (name: string): Program => ({ writes: '=', destroys: () => `deletes (${name})` });

export const FILES: Readonly<Record<string, Program>> = {
  ...readers({
    ls: {
      flags: '1aAbBcCdfFgGhHiklmnNopqQrRsStuUvxXZ',
      valued: 'ITw',
      longs: `all almost-all author escape directory classify full-time group-directories-first no-group human-readable si inode numeric-uid-gid literal quote-name reverse recursive size context file-type zero ${HELP}`,
      longValued: 'block-size format hide ignore indicator-style quoting-style sort time time-style tabsize width',
      longOptional: 'color classify hyperlink',
      texts: 'I hide ignore',
    },
    stat: {
      flags: 'Lft',
      valued: 'c',
      longs: `dereference file-system terse ${HELP}`,
      longValued: 'format printf',
      texts: 'c format printf',
    },
    du: {
      flags: '0abcDhHklmPsSx',
      valued: 'dBt',
      longs: `all apparent-size bytes total human-readable summarize one-file-system separate-dirs inodes ${HELP}`,
      longValued: 'max-depth block-size exclude threshold',
      longOptional: 'time',
      texts: 'exclude',
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
  }),
  file: {
    reads: {
      flags: 'bhiLkNnr0',
      longs: 'brief mime mime-type mime-encoding extension dereference no-dereference help version',
    },
    confined: 'any',
    valued: 'emfFP',
    risks: [
      { letters: 'C', names: 'compile', does: 'writes a file of its own' },
      { letters: 'm', names: 'magic-file', does: 'reads its patterns from another file' },
      { letters: 'f', names: 'files-from', does: 'reads the names of its files from a file' },
      { letters: 'zZ', names: 'uncompress uncompress-noreport', does: 'starts programs that unpack' },
    ],
    longs: 'mime',
  },
  ...each('dir vdir exa eza lsd namei objdump size c++filt addr2line', { confined: 'any' }),
  mkdir: { edits: makesFolders, writes: '=', valued: 'm', creates: { flags: 'pv', longs: 'parents verbose' } },
  touch: { edits: touches, writes: '=', valued: 'dtr', creates: { flags: 'acm' } },
  cp: { edits: copies, writes: '= t target-directory', valued: 'tS', destroys: forced('cp') },
  mv: { edits: moves, writes: '= t target-directory', valued: 'tS', destroys: forced('mv') },
  ln: { edits: links, writes: '= t target-directory', valued: 'tS' },
  install: {
    writes: '= t target-directory',
    valued: 'mogtS',
    risks: [{ letters: 's', names: 'strip strip-program', does: 'starts another program' }],
    longs: 'suffix',
  },
  rm: {
    edits: removes,
    writes: '=',
    destroys: (args) =>
      args.some((arg) => /^-[A-Za-z]*[rR]|^--recursive/.test(arg))
        ? 'deletes folders with everything in them (rm -r)'
        : 'deletes files (rm)',
  },
  rmdir: { ...deletes('rmdir'), edits: removesFolders },
  unlink: deletes('unlink'),
  shred: deletes('shred'),
  tee: { edits: tees, writes: '=' },
  truncate: { writes: '=', valued: 'sr', destroys: () => 'cuts files (truncate)' },
  chmod: { edits: changesModes, writes: '=' },
  chown: { writes: '=' },
  chgrp: { writes: '=' },
  dd: {
    writes: '=',
    destroys: (args) => (args.some((arg) => arg.startsWith('of=')) ? 'overwrites what of= names (dd)' : undefined),
  },
  split: {
    writes: '=',
    valued: 'alnbCt',
    risks: [{ names: 'filter', does: 'runs another program' }],
  },
  csplit: { writes: '=', valued: 'bfn' },
  patch: {
    writes: '=',
    valued: 'BDFYVdigporxz',
    risks: [{ letters: 'd', names: 'directory', does: 'works in another folder' }],
    longs: 'dry-run',
  },
  mkfs: { destroys: () => 'formats a file system (mkfs)' },
  strip: { writes: '=' },
  iconv: { confined: objectToOption(/^(?:-[a-zA-Z]*o|--o)/, 'iconv -o writes a file'), writes: 'o output' },
};
