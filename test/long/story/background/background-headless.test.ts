/** LC-19 in the real program: it goes on until its background tasks have ended, or their time is up. */

import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { runningWith } from '../../../support/processes.js';
import { buildProgram, startProgram } from '../../../support/program.js';
import { transcriptsIn } from '../../../support/session-files.js';
import { setStage } from '../../../support/story.js';
import { until } from '../../../support/until.js';

beforeAll(buildProgram);

describe('headless', () => {
  it('LC-19: Ctrl+C while it waits ends it at once, and leaves no process', async () => {
    const number = `${8_000_000 + Math.floor(Math.random() * 900_000)}.5`;
    const background = (command: string) => ({ tool: 'Bash', input: { command, run_in_background: true } });
    const stage = await setStage([
      { when: { user: '<task-notification>' }, reply: 'Heard of one.' },
      { when: { nth: 1 }, reply: [background(`sleep ${number}`), background('until [ -e go ]; do sleep 0.02; done')] },
      { reply: 'Handed on.' },
    ]);
    const program = startProgram(['-p', 'Go.', '--permission-mode', 'bypassPermissions'], stage.at);
    await until(() => stage.sim.requests.length === 2 && runningWith(`sleep ${number}`).length > 0, 'it runs');
    const [transcript = ''] = await transcriptsIn(stage.env.COPPICE_HOME);
    const runs = async () => (await readFile(transcript, 'utf8')).split('"kind":"run-ended"').length - 1;
    await until(async () => (await runs()) === 1, 'its first run is over');
    // A second run, woken by a notice, shows that it waits for what is left.
    await stage.write('go', '');
    await until(async () => (await runs()) === 2, 'it has heard of the one that ended');
    program.child.kill('SIGINT');
    expect(await program.ended).toMatchObject({ code: 130 });
    expect(runningWith(`sleep ${number}`)).toEqual([]);
  });
});
