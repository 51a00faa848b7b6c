/** CL-8: a client that does not read: bounded memory, nothing is lost, and the program can still be ended. */

import { beforeAll, describe, expect, it } from 'vitest';
import { runningIn } from '../../../../support/processes.js';
import { buildProgram } from '../../../../support/program.js';
import { CLIENT, exitOf, halts, PROMPT, setSlowStage, start } from './slow-client-stage.js';

beforeAll(buildProgram);

describe('CL-8: a client that does not read', () => {
  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const)('CL-8: %s ends the program all the same', async (signal, code) => {
    const stage = await setSlowStage();
    const child = start(stage, CLIENT);
    child.stdin.write(PROMPT);
    await halts(stage);
    const ended = exitOf(child);
    child.kill(signal);
    expect(await ended).toBe(code);
    expect(runningIn(stage.home)).toEqual([]);
  });
});
