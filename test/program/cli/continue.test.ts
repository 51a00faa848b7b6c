/** `--continue` with the real program: what it takes, and what it says of a session that is damaged. */

import { readFile, utimes, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, runProgram } from '../../support/program.js';
import { transcriptsIn } from '../../support/session-files.js';
import { expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import { lastSent } from '../../support/wire-body.js';

beforeAll(buildProgram);

/** Two sessions; the paths of their transcripts, the older first. */
async function twoSessions(): Promise<{ stage: Stage; older: string; newer: string }> {
  const stage = await setStage([{ reply: 'hello' }]);
  await runProgram(['-p', 'words of the older'], stage.at);
  const [older = ''] = await transcriptsIn(stage.env.COPPICE_HOME);
  await utimes(older, 1_790_000_000, 1_790_000_000);
  await runProgram(['-p', 'words of the newer'], stage.at);
  const newer = (await transcriptsIn(stage.env.COPPICE_HOME)).find((path) => path !== older) ?? '';
  return { stage, older, newer };
}

function idOf(path: string): string {
  return basename(path, '.jsonl');
}

describe('one flipped bit in line 1 of the newest session', () => {
  it('DU-11: is reported, nothing is sent, and both sessions are offered', async () => {
    const { stage, older, newer } = await twoSessions();
    const bytes = await readFile(newer);
    const sent = stage.sim.requests.length;
    // In a name, in a quote, in the number of the version: whatever makes the line no record of a start.
    for (const at of [0, 1, 3, 5, bytes.indexOf('session-started') + 3, bytes.indexOf('\n') - 1]) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 0x10;
      await writeFile(newer, flipped);
      const end = await runProgram(['-p', 'go on', '--continue'], stage.at);
      expect(end, `byte ${at}`).toMatchObject({ code: 1, stdout: '' });
      expect(end.stderr).toContain(`(${idOf(newer)}, last used `);
      expect(end.stderr).toContain('is damaged: its first record is missing or damaged');
      expect(end.stderr).toContain(`coppice --resume ${idOf(newer)}`);
      expect(end.stderr).toMatch(new RegExp(`coppice --resume ${idOf(older)} .*words of the older`));
    }
    expect(stage.sim.requests.length).toBe(sent);
  });

  it('DU-11: the damaged one can be gone on with', async () => {
    const { stage, newer } = await twoSessions();
    const bytes = await readFile(newer);
    bytes[3] = (bytes[3] ?? 0) ^ 0x10;
    await writeFile(newer, bytes);
    const end = await runProgram(['-p', 'go on', '--resume', idOf(newer)], stage.at);
    expect(end, end.stderr).toMatchObject({ code: 0, stdout: 'hello\n' });
    expect(end.stderr).toContain('damaged bytes at 0');
    expect(lastSent(stage.sim)).toContain('words of the newer');
    expectAllAccepted(stage.sim);
  });

  it('DU-11: with no other session, only the damaged one is offered', async () => {
    const stage = await setStage([{ reply: 'hello' }]);
    await runProgram(['-p', 'alone'], stage.at);
    const [path = ''] = await transcriptsIn(stage.env.COPPICE_HOME);
    const bytes = await readFile(path);
    bytes[3] = (bytes[3] ?? 0) ^ 0x10;
    await writeFile(path, bytes);
    const end = await runProgram(['-p', 'go on', '--continue'], stage.at);
    expect(end).toMatchObject({ code: 1 });
    expect(end.stderr.match(/coppice --resume /g)).toHaveLength(1);
  });
});

it('DU-14: what a process left that was killed before its first record was whole is passed over', async () => {
  const { stage, newer } = await twoSessions();
  const bytes = await readFile(newer);
  for (const content of [Buffer.alloc(0), bytes.subarray(0, 60), bytes.subarray(0, bytes.indexOf('\n'))]) {
    await writeFile(newer, content);
    const end = await runProgram(['-p', 'go on', '--continue'], stage.at);
    expect(end, end.stderr).toMatchObject({ code: 0 });
    expect(lastSent(stage.sim)).toContain('words of the older');
  }
});
