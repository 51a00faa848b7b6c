/** The real program with servers: what it says, and what it leaves behind. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { groupRuns } from '../../../support/processes.js';
import { buildProgram, startProgram } from '../../../support/program.js';
import { setStage } from '../../../support/story.js';

beforeAll(buildProgram);

describe('the program with servers', () => {
  it('MC-15 also one whose first act is to kill the program', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    const file = join(stage.folder, 'pid');
    const script = `trap "" TERM; echo $$ > ${file}; kill -9 $PPID; while :; do sleep 1; done`;
    await stage.settings({ mcpServers: { bad: { command: '/bin/sh', args: ['-c', script] } } });
    await startProgram(['-p', 'hi'], stage.at).ended;
    const pid = Number(await readFile(file, 'utf8'));
    expect(groupRuns(pid)).toBe(true);
    await stage.settings({});
    await startProgram(['-p', 'again'], stage.at).ended;
    expect(groupRuns(pid)).toBe(false);
  });
});
