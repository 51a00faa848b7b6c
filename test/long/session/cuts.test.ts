import { describe, it } from 'vitest';
import { expectCutsRead, expectCutsRepaired } from '../../unit/session/transcript/cut-transcript.js';

describe('a transcript that was cut off', () => {
  it('DU-21: at every byte of it, resuming gives a valid request that starts with the accepted bytes', () =>
    expectCutsRead(1));

  it('DU-21: at bytes all over its last three records, on disk: set aside, repaired, gone on with, and read again', () =>
    expectCutsRepaired(7));
});
