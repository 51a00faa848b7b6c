/** Programs that search in files and folders. */

import { objectToOption } from '../examine/objections.js';
import { examineFd, examineFind, examineGrep, examineRg } from '../examine/search.js';
import { each } from '../make-rows.js';
import type { Program } from '../program.js';
import { wrapsFd, wrapsFind } from '../wrapped.js';

const FD: Program = {
  reads: examineFd,
  confined: 'any',
  wraps: wrapsFd,
  wrapsByOption: true,
  valued: 'dtecESojC',
  risks: [{ names: 'list-details', letters: 'l', whole: true, does: 'runs ls' }],
};

export const SEARCH: Readonly<Record<string, Program>> = {
  ...each('grep egrep fgrep', { reads: examineGrep, confined: 'any', texts: 'e regexp' }),
  ...each('zgrep zegrep zfgrep bzgrep xzgrep', { confined: 'any' }),
  ...each('ag ack', {
    confined: 'any',
    risks: [{ names: 'pager ackrc', whole: true, does: 'runs another program' }],
  }),
  rg: {
    reads: examineRg,
    confined: 'any',
    valued: 'ABCdeEfgjmMrtT',
    texts: 'e regexp r replace g glob',
    risks: [
      { names: 'pre hostname-bin', whole: true, does: 'runs another program' },
      { names: 'search-zip', letters: 'z', whole: true, does: 'starts programs that unpack' },
    ],
    versions: { words: ['--version'], where: 'anywhere' },
  },
  ...each('fd fdfind', FD),
  find: {
    reads: examineFind,
    confined: objectToOption(/^-(?:delete|fprint|fprint0|fprintf|fls)$/, 'find -delete and find -fprint change files'),
    wraps: wrapsFind,
    wrapsByOption: true,
    writes: '-fprint -fprint0 -fprintf -fls',
    risks: [
      { words: /^-delete$/, does: 'deletes what it finds' },
      { words: /^-files0-from$/, does: 'reads the names of its folders from a file' },
    ],
    destroys: (args) => (args.includes('-delete') ? 'deletes what it finds (find -delete)' : undefined),
  },
  locate: { risks: [{ names: 'database', letters: 'd', does: 'reads another database' }] },
};
