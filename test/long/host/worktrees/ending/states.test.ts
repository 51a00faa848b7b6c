/** One worktree of each kind of state through every way it can end; all states are in test/long/host/worktrees. */

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { actOnState, type Outcomes, type State } from '../../../../program/host/worktrees/ending/act-on-state.js';

const KEPT: Outcomes = { end: 'kept', resume: 'goes on', sweep: 'kept', remove: 'kept', discard: 'removed' };
const REMOVED: Outcomes = { ...KEPT, end: 'removed', sweep: 'removed', remove: 'removed' };
const MISSING: Outcomes = { end: 'gone', resume: 'gone', sweep: 'kept', remove: 'gone', discard: 'gone' };

const STATES: readonly State[] = [
  { name: 'an empty folder', make: ({ path }) => mkdir(join(path, 'empty')), outcomes: REMOVED },
  { name: 'a new file', make: ({ path }) => writeFile(join(path, 'new.txt'), 'work\n'), outcomes: KEPT },
  {
    name: 'a commit',
    make: ({ stage, path }) => stage.git(['commit', '-qm', 'empty', '--allow-empty'], path),
    outcomes: KEPT,
    says: /^it has 1 commit beyond its start$/,
  },
  { name: 'deleted by hand', make: ({ path }) => rm(path, { recursive: true }), outcomes: MISSING },
];

describe('WT-7: what holds work is kept, what holds none is removed, whichever way it ends', () => {
  it.each(STATES)('WT-7: $name', actOnState);
});
