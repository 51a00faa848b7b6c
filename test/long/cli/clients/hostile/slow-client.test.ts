/** CL-8: a client that does not read: bounded memory, nothing is lost, and the program can still be ended. */

import { beforeAll, describe, it } from 'vitest';
import { expectEnds } from '../../../../program/cli/clients/hostile/slow-client-stage.js';
import { buildProgram } from '../../../../support/program.js';

beforeAll(buildProgram);

describe('CL-8: a client that does not read', () => {
  it('CL-8: SIGTERM ends the program all the same', async () => {
    await expectEnds('SIGTERM', 143);
  });
});
