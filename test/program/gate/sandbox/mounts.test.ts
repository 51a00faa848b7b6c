/** The order of mounts: what lies on top counts, and no guard opens or shows anything. */

import { expect, it } from 'vitest';
import { bubblewrapArguments } from '../../../../src/gate/sandbox/mounts/bubblewrap-arguments.js';
import { arrangeMounts, type Mount } from '../../../../src/gate/sandbox/mounts/mounts.js';
import * as fc from '../../../support/fast-check.js';

const path = fc
  .array(fc.constantFrom('a', 'b', '.git', 'hooks'), { minLength: 1, maxLength: 4 })
  .map((names) => `/${names.join('/')}`);
const base = fc.record({ kind: fc.constantFrom('open', 'show', 'empty', 'hide-folder'), path }) as fc.Arbitrary<Mount>;
const guard = fc.record({ kind: fc.constantFrom('read', 'pin'), path }) as fc.Arbitrary<Mount>;

/** What a command may do at a path: that of the mount nearest above it, the last of those made. */
function reach(mounts: readonly Mount[], at: string): 'writes' | 'reads' | 'nothing' {
  const above = arrangeMounts(mounts).filter((mount) => at === mount.path || at.startsWith(`${mount.path}/`));
  const last = above.at(-1);
  if (last?.kind === 'read' || last?.kind === 'show') return 'reads';
  return last?.kind === 'open' || last?.kind === 'pin' ? 'writes' : 'nothing';
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
      const paths = arrangeMounts(mounts).map((mount) => mount.path);
      expect(new Set(paths).size).toBe(paths.length);
      for (const [index, outer] of paths.entries()) {
        expect(paths.slice(0, index).some((earlier) => earlier.startsWith(`${outer}/`))).toBe(false);
      }
    }),
  );
});

it('GT-34: the whole machine is opened first, guards lie on top, and nothing is opened twice', () => {
  const mounts: Mount[] = [
    { kind: 'hide-file', path: '/s' },
    { kind: 'read', path: '/a/.git/hooks' },
    { kind: 'pin', path: '/a/.git' },
    { kind: 'open', path: '/a' },
    { kind: 'open', path: '/' },
  ];
  const limits = { sharesNetwork: true, nests: true, devices: 'usual', cwd: '/a' } as const;
  const bubblewrap = { file: 'bwrap', version: '1', disablesNesting: true, limitsSize: true };
  const args = bubblewrapArguments(bubblewrap, { ...limits, mounts, nothing: '/n' }, ['true']).join(' ');
  expect(args).toMatch(
    /^--unshare-user --cap-drop ALL --die-with-parent --unshare-pid .*--bind \/ \/ --proc \/proc --ro-bind-try \/proc\/sys /,
  );
  expect(args).toMatch(
    /--ro-bind \/n \/s --bind \/a\/.git \/a\/.git --ro-bind \/a\/.git\/hooks \/a\/.git\/hooks --chdir \/a --as-pid-1 -- true$/,
  );
});

it('GT-19: another folder is shown at a path, and a command without the machine gets its own processes and no network', () => {
  const mounts: Mount[] = [{ kind: 'open', path: '/tmp', source: '/x' }];
  const limits = { sharesNetwork: false, nests: false, devices: 'few', cwd: '/tmp' } as const;
  const bubblewrap = { file: 'bwrap', version: '1', disablesNesting: true, limitsSize: true };
  const args = bubblewrapArguments(bubblewrap, { ...limits, mounts, nothing: '/n', filter: 3 }, ['true']);
  for (const option of [
    '--disable-userns',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-net',
    '--new-session',
    '--as-pid-1',
  ])
    expect(args).toContain(option);
  expect(args.join(' ')).toContain('--seccomp 3 --proc /proc --remount-ro /proc');
  expect(args.join(' ')).toContain('--bind /x /tmp --remount-ro / ');
});
