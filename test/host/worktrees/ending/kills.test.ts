/** kill -9 while a worktree is made or removed: the next start is clean, and nothing is lost (WT-14, failures 38). */

import { describe, expect, it } from 'vitest';
import { killEverywhere } from './kill-everywhere.js';

describe('WT-14: kill -9 at every step', () => {
  it('WT-14, failures 38: of making one', async () => {
    expect(await killEverywhere({ action: 'make', stride: 1, during: [0, 3] })).toBeGreaterThan(20);
  }, 240_000);

  it('WT-14, failures 38: of removing one', async () => {
    expect(await killEverywhere({ action: 'remove', stride: 1, during: [0, 3] })).toBeGreaterThan(20);
  }, 240_000);

  it('WT-14: of removing one with work, by a person’s word', async () => {
    expect(await killEverywhere({ action: 'discard', stride: 1, during: [0, 3] })).toBeGreaterThan(10);
  }, 240_000);
});
