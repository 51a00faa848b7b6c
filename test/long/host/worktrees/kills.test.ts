/**
 * kill -9 while a worktree is made or removed: the next start is clean, and nothing is lost (WT-14, failures 38). By
 * default at every eighth effect, and once in each git that writes; with KILLS=all at each, and at several moments.
 */

import { describe, expect, it } from 'vitest';
import { type Kills, killEverywhere } from './kill-everywhere.js';

const HOW: Omit<Kills, 'action'> =
  process.env.KILLS === 'all' ? { stride: 1, during: [0, 1, 3, 6] } : { stride: 8, during: [2] };
const LIMIT_MS = process.env.KILLS === 'all' ? 900_000 : 120_000;

describe('WT-14: kill -9 at every step', () => {
  it(
    'WT-14, failures 38: of making one',
    async () => {
      expect(await killEverywhere({ action: 'make', ...HOW })).toBeGreaterThan(10);
    },
    LIMIT_MS,
  );

  it(
    'WT-14, failures 38: of removing one',
    async () => {
      expect(await killEverywhere({ action: 'remove', ...HOW })).toBeGreaterThan(6);
    },
    LIMIT_MS,
  );

  it(
    'WT-14: of removing one with work, with discard',
    async () => {
      expect(await killEverywhere({ action: 'discard', ...HOW })).toBeGreaterThan(6);
    },
    LIMIT_MS,
  );
});
