import { describe, it } from 'vitest';
import { expectCutsRead, expectCutsRepaired } from './cut-transcript.js';

describe('a transcript that was cut off', () => {
  it('DU-21: at bytes all over it, resuming gives a valid request that starts with the accepted bytes', () =>
    expectCutsRead(37));

  it('DU-21: at the borders of its last records, on disk: set aside, repaired, gone on with, and read again', () =>
    expectCutsRepaired(101));
});
