/** A headless `--continue` whose agents continue automatically, in the real program: what it waits for, how long, and how it ends. */

import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import { gate } from '../../support/gate.js';
import { buildProgram, runProgram, startProgram } from '../../support/program.js';
import { transcriptsIn } from '../../support/session-files.js';
import { readTranscript, type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { wireText } from '../../support/wire-body.js';

beforeAll(buildProgram);

/** A session that was killed while its child, waited for or in the background, was running. Its model never answers. */
async function killedStage(background: boolean) {
  const held = gate();
  let asked = 0;
  const input = { prompt: 'task of the child', description: 'the slow part', run_in_background: background };
  const stage = await setStage([
    {
      when: { user: 'task of the child' },
      reply: async () => {
        asked += 1;
        await held.opened;
        return 'child is done';
      },
    },
    {
      when: { user: 'begin', not: { result: { tool: 'Agent' } } },
      reply: [{ tool: 'Agent', input, id: 'toolu_child' }],
    },
    { reply: 'main goes on' },
  ]);
  Object.assign(stage.env, { COPPICE_RESUME_AGENTS: 'auto' });
  const first = startProgram(['-p', 'begin'], stage.at);
  await until(() => asked === 1);
  first.child.kill('SIGKILL');
  await first.ended;
  return { stage, held, asked: () => asked };
}

async function hasPrompt(stage: Stage, words: string): Promise<boolean> {
  const [transcript = ''] = await transcriptsIn(stage.env.COPPICE_HOME);
  return (await readFile(transcript, 'utf8')).includes(words);
}

it.each([false, true])(
  'DU-3, DU-15: the prompt is on disk before the agents that continue have ended (in the background: %s), and comes after what they said',
  async (background) => {
    const { stage, held, asked } = await killedStage(background);
    const again = startProgram(['-p', 'and then?', '--continue'], stage.at);
    await until(() => asked() === 2);
    await until(() => hasPrompt(stage, 'and then?'), 'the prompt is on disk');
    held.open();
    expect(await again.ended).toMatchObject({ code: 0, stdout: 'main goes on\n' });
    const last = wireText(stage.sim.requests.at(-1));
    expect(last).toContain('child is done');
    expect(last.split('and then?')).toHaveLength(2);
  },
);

it.each([false, true])(
  'LC-19, DU-15: agents that continue have --background-wait; then they are stopped and named, the prompt is answered, exit 1 (in the background: %s)',
  async (background) => {
    const { stage } = await killedStage(background);
    const args = ['-p', 'and then?', '--continue', '--background-wait', '0.3', '--output-format', 'json'];
    const again = await runProgram(args, stage.at);
    expect(again.code, again.stderr).toBe(1);
    expect(JSON.parse(again.stdout)).toMatchObject({
      subtype: 'error_background_wait',
      is_error: true,
      result: 'main goes on',
      stopped_tasks: [{ title: 'general-purpose: the slow part' }],
    });
    expect(again.stderr).toMatch(/background tasks did not finish within 0.3 s and were stopped: .*the slow part/);
  },
);

it.each([
  ['SIGINT', 130, false],
  ['SIGTERM', 143, true],
] as const)(
  'LC-19, LC-2: %s while it waits for agents that continue ends it with %i, the prompt kept and the agents resumable (in the background: %s)',
  async (signal, code, background) => {
    const { stage, held, asked } = await killedStage(background);
    const again = startProgram(['-p', 'and then?', '--continue'], stage.at);
    await until(() => asked() === 2);
    await until(() => hasPrompt(stage, 'and then?'), 'the prompt is on disk');
    again.child.kill(signal);
    expect(await again.ended).toMatchObject({ code, signal: null });
    held.open();
    const last = await runProgram(['-p', 'well?', '--continue'], stage.at);
    expect(last, last.stderr).toMatchObject({ code: 0, stdout: 'main goes on\n' });
    const [transcript = ''] = await transcriptsIn(stage.env.COPPICE_HOME);
    const records = await readTranscript(transcript);
    expect(records.filter(({ event }) => event.kind === 'input-admitted' && event.origin === 'person')).toHaveLength(3);
    const sent = wireText(stage.sim.requests.at(-1));
    expect(sent).toContain('child is done');
    expect(sent).toContain('and then?');
  },
);
