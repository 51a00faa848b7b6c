/** SF-1: output that can't be written is an error of the run: the disk is full, or the reader is gone. */

import { beforeAll, expect, it } from 'vitest';
import { buildProgram, runProgram, runShell, startProgram } from '../../support/program.js';
import { transcriptsIn } from '../../support/session-files.js';
import { readTranscript, setStage } from '../../support/story.js';

beforeAll(buildProgram);

const FOR_EVER = 600_000;

it.each(['text', 'json', 'stream-json'])(
  'SF-1: a full disk, --output-format %s: exit 1, and how to see it',
  async (format) => {
    const stage = await setStage([{ reply: 'Hello.' }]);
    const end = await runShell(`coppice -p hi --session-id kept --output-format ${format} > /dev/full`, stage.at);
    expect(end).toMatchObject({
      code: 1,
      stderr:
        "error: can't write to standard output: no space left (ENOSPC). The session is saved: coppice --resume kept\n",
    });
    const again = await runShell('coppice -p again --resume kept', stage.at);
    expect(again).toMatchObject({ code: 0, stdout: 'Hello.\n' });
  },
);

it('SF-1: a reader that leaves before it has read the whole result is no error', async () => {
  const stage = await setStage([{ reply: 'Hello.' }]);
  const program = startProgram(['-p', 'hi', '--session-id', 'kept'], stage.at);
  program.child.stdout.destroy();
  const end = await program.ended;
  expect(end).toMatchObject({ code: 0, stderr: '' });
});

it('SF-1: a reader that leaves in the middle of stream-json: the work is interrupted, exit 1', async () => {
  const stage = await setStage([
    { when: { nth: 1 }, reply: [{ tool: 'Glob', input: { pattern: '*' } }] },
    { reply: 'too late', delay: { firstMs: FOR_EVER } },
  ]);
  const args = ['-p', 'go', '--output-format', 'stream-json', '--session-id', 'kept'];
  const program = startProgram(args, stage.at);
  program.child.stdout.once('data', () => program.child.stdout.destroy());
  const end = await program.ended;
  expect(end).toMatchObject({ code: 1, signal: null });
  expect(end.stderr).toContain("can't write to standard output: the reader is gone (EPIPE)");
  const [transcript = ''] = await transcriptsIn(stage.env.COPPICE_HOME);
  expect((await readTranscript(transcript)).at(-1)?.event).toMatchObject({ kind: 'run-ended', reason: 'interrupted' });
});

it('SF-1: a list whose reader has seen enough ends quietly; on a full disk it reports it', async () => {
  const stage = await setStage();
  const piped = await runShell('set -o pipefail; coppice sim --list | true; echo "code $?"', stage.at);
  expect(piped).toMatchObject({ stdout: 'code 0\n', stderr: '' });
  for (const command of ['coppice sim --list', 'coppice --version'])
    expect(await runShell(`${command} > /dev/full`, stage.at)).toMatchObject({
      code: 1,
      stderr: "error: can't write to standard output: no space left (ENOSPC)\n",
    });
});

it('SF-2: --version is in the help, and answered at any position', async () => {
  const stage = await setStage();
  expect((await runProgram(['--help'], stage.at)).stdout).toMatch(/-v, --version +print the version/);
  expect(await runProgram(['-p', '--version'], stage.at)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+ \(coppice\)\n$/),
  });
});
