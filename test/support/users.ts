/** Tests that depend on who runs them: others skip them, and the report says why. */

import type { TestContext } from 'vitest';

export const IS_ROOT = process.getuid?.() === 0;

/** For tests that give a file to another user. */
export function needRoot({ skip }: TestContext): void {
  skip(!IS_ROOT, 'only root can give a file to another user');
}

/** For tests of what may not be read. */
export function needOrdinaryUser({ skip }: TestContext): void {
  skip(IS_ROOT, 'root may read everything');
}
