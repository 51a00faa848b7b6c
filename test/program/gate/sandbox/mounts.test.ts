/** The order of mounts: what lies on top counts, and no guard opens or shows anything. */

import { expect, it } from 'vitest';
import { type Mount, mountArguments, orderMounts } from '../../../../src/gate/sandbox/mounts.js';
import * as fc from '../../../support/fast-check.js';

const path = fc
  .array(fc.constantFrom('a', 'b', '.git', 'hooks'), { minLength: 1, maxLength: 4 })
  .map((names) => `/${names.join('/')}`);
const base = fc.record({ kind: fc.constantFrom('open', 'show', 'hide-folder'), path }) as fc.Arbitrary<Mount>;
const guard = fc.record({ kind: fc.constantFrom('read', 'pin'), path }) as fc.Arbitrary<Mount>;

/** What a command may do at a path: that of the mount nearest above it, the last of those made. */
function reach(mounts: readonly Mount[], at: string): 'writes' | 'reads' | 'nothing' {
  const above = orderMounts(mounts).filter((mount) => at === mount.path || at.startsWith(`${mount.path}/`));
  const last = above.at(-1);
  if (last === undefined || last.kind === 'read' || last.kind === 'show') return 'reads';
  return last.kind === 'open' || last.kind === 'pin' ? 'writes' : 'nothing';
}

const RANK = { nothing: 0, reads: 1, writes: 2 };

it('GT-19: guards only ever narrow what can be reached, wherever the links of a project lead them', () => {
  fc.assert(
    fc.property(fc.array(base, { maxLength: 5 }), fc.array(guard, { maxLength: 6 }), path, (mounts, guards, at) => {
      const without = RANK[reach(mounts, at)];
      const withGuards = RANK[reach([...mounts, ...guards], at)];
      expect(withGuards).toBeLessThanOrEqual(without);
    }),
    { numRuns: 2_000 },
  );
});

it('GT-19: outer paths come first, one mount for a path', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(base, guard), { maxLength: 10 }), (mounts) => {
      const paths = orderMounts(mounts).map((mount) => mount.path);
      expect(new Set(paths).size).toBe(paths.length);
      for (const [index, outer] of paths.entries()) {
        expect(paths.slice(0, index).some((earlier) => earlier.startsWith(`${outer}/`))).toBe(false);
      }
    }),
  );
});

it('shows another folder in a place, and covers a file', () => {
  const mounts: Mount[] = [
    { kind: 'hide-file', path: '/s' },
    { kind: 'open', path: '/tmp', source: '/x' },
  ];
  expect(mountArguments(mounts)).toEqual(['--ro-bind', '/dev/null', '/s', '--bind', '/x', '/tmp']);
});
