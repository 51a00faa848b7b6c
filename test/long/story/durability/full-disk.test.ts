/** A disk that takes nothing more while children end: what nobody could be told of is named, and told when there is room. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { CHILDREN, sixChildren } from '../../../story/durability/full-disk-stage.js';
import { buildProgram, ROOT, startProgram } from '../../../support/program.js';
import { transcriptsIn } from '../../../support/session-files.js';
import { setStage } from '../../../support/story.js';
import { until } from '../../../support/until.js';

beforeAll(buildProgram);

it('LC-9, LC-19: six children end on a full disk: exit 1, is_error, each of them named', async () => {
  const { rules, held, asked } = sixChildren();
  const stage = await setStage(rules);
  const full = join(stage.home, 'full');
  const program = startProgram(['-p', 'begin', '--output-format', 'json'], {
    cwd: stage.folder,
    env: { ...stage.env, FULL_DISK: full },
    node: ['--import', join(ROOT, 'test', 'fixtures', 'full-disk.mjs')],
  });
  const hasEnded = async () => {
    const [transcript = ''] = await transcriptsIn(stage.env.COPPICE_HOME);
    return (await readFile(transcript, 'utf8').catch(() => '')).includes('"run-ended"');
  };
  await until(async () => asked.count === CHILDREN && (await hasEnded()), 'all have begun, and main has ended');
  await writeFile(full, '');
  held.open();
  const end = await program.ended;
  expect(end.code, end.stderr).toBe(1);
  const result = JSON.parse(end.stdout);
  expect(result).toMatchObject({ subtype: 'error_during_execution', is_error: true });
  const named = result.unreported_tasks.map(({ task_id }: { task_id: string }) => task_id);
  expect(new Set(named).size).toBe(CHILDREN);
  for (const id of named)
    expect(end.stderr).toMatch(new RegExp(`could not be saved.*${id} \\(general-purpose: a part\\)`));
});
