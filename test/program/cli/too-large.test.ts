/** LC-23: a prompt larger than the window, piped into the real program. */

import { beforeAll, expect, it } from 'vitest';
import { buildProgram, runProgram } from '../../support/program.js';
import { setStage } from '../../support/story.js';

beforeAll(buildProgram);

it('LC-23: the exit code is 1, the sizes are reported, and nothing is sent', async () => {
  const stage = await setStage([{ reply: 'never' }]);
  const input = 'larger than anything '.repeat(250_000);
  const ended = await runProgram(['-p'], { ...stage.at, input });
  expect(ended.code).toBe(1);
  expect(ended.stderr).toMatch(/the prompt is too large: about 1,[\d,]+ tokens \(5\.\d MB\)/);
  const json = await runProgram(['-p', '--output-format', 'json'], { ...stage.at, input });
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({ is_error: true });
  expect(stage.sim.requests).toEqual([]);
});
