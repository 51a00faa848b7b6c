/** A small disk of its own that can be filled and enlarged: a tmpfs, where the machine lets us mount one. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SMALL = '6m';
/** By how much it grows each time. */
const GROWTH_MB = 64;

/** True if this machine lets us. */
export function canMount() {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-torture-disk-'));
  try {
    mount(folder).remove();
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function mount(folder) {
  run('mount', ['-t', 'tmpfs', '-o', `size=${SMALL},mode=700`, 'tmpfs', folder]);
  const filler = join(folder, 'filler');
  let size = 0;
  return {
    /** Until not a byte more goes in. */
    fill: () => {
      for (const size of [1_000_000, 4_096]) {
        try {
          for (;;) writeFileSync(filler, Buffer.alloc(size), { flag: 'a' });
        } catch {
          // It is full.
        }
      }
    },
    enlarge: () => {
      size += GROWTH_MB;
      run('mount', ['-o', `remount,size=${size}m`, folder]);
    },
    remove: () => {
      run('umount', ['-l', folder]);
      rmdirSync(folder, { recursive: false });
    },
  };
}

function run(file, args) {
  execFileSync(file, args, { stdio: 'ignore' });
}
