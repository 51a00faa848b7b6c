/** A repository made to attack whoever opens it, opened by the real program without trust. Each planted program leaves a mark. */

import { readdir } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from '../../../support/program.js';
import { mainResults, script } from '../../agents/agents-script.js';
import { bash, expectUntouched, GIT_READS, open, plant } from './hostile-stage.js';

beforeAll(buildProgram);

describe('a hostile repository, untrusted, headless', () => {
  it('GT-2: opening it and asking starts no program of its own, writes nothing outside, and shows what was ignored', async () => {
    const hostile = await plant();
    hostile.sim.use(script({ main: ['It is a repository.'] }));
    const { end, result } = await open(hostile);
    expect(end.code, end.stderr).toBe(0);
    expect(result.is_error).toBe(false);
    await expectUntouched(hostile);
    // The endpoint and the key are the user's.
    expect(hostile.sim.requests).toHaveLength(1);
    expect(hostile.sim.requests[0]?.headers?.['x-api-key']).toBe('test-key');
    expect(
      end.stderr.split('\n').filter((line) => /the folder is not trusted, so these settings are ignored/.test(line)),
    ).toHaveLength(1);
  });

  it('GT-2: git commands that would run its programs are not run; those that run are harmless', async () => {
    const hostile = await plant();
    hostile.sim.use(script({ main: [GIT_READS.map(bash), 'done'] }));
    const { end, result } = await open(hostile);
    expect(end.code, end.stderr).toBe(0);
    await expectUntouched(hostile);
    const results = mainResults(hostile);
    expect(results).toHaveLength(GIT_READS.length);
    expect(results[0]).toMatchObject({ isError: true, text: expect.stringContaining('not trusted') });
    expect(result.permission_denials?.length).toBeGreaterThanOrEqual(8);
  });

  it('GT-2: the planted programs do run once the user trusts the folder: the marks are no blank', async () => {
    const hostile = await plant();
    hostile.sim.use(script({ main: [[bash('git add .')], 'done'] }));
    await open(hostile, '--trust', '--allowedTools', 'Bash(git add:*)');
    const breakpoints = await readdir(hostile.breakpoints);
    expect(breakpoints).toEqual(expect.arrayContaining(['hook-SessionStart', 'hook-PreToolUse', 'mcp']));
  });
});
