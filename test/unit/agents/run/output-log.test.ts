import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OutputLog } from '../../../../src/agents/run/output-log.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { scratchFolder } from '../../../support/scratch.js';

async function logIn(): Promise<{ log: OutputLog; path: string }> {
  const folder = await scratchFolder();
  const path = join(folder, 'tasks', 'a.output');
  return { log: new OutputLog(nodeHost(folder), path), path };
}

it('LC-3: opened late, the file has everything from the first line', async () => {
  const { log, path } = await logIn();
  for (let line = 1; line <= 3; line += 1) log.add(`line ${line}`);
  log.openFile();
  log.add('line 4');
  log.openFile();
  await log.close();
  expect(await readFile(path, 'utf8')).toBe('line 1\nline 2\nline 3\nline 4\n');
});

it('LC-7: a child that was never in the background leaves no file; a long one is not held in memory', async () => {
  const short = await logIn();
  short.log.add('only this');
  await short.log.close();
  await expect(stat(short.path)).rejects.toThrow();
  const { log, path } = await logIn();
  const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index}`);
  for (const line of lines) log.add(line);
  expect(log.recent(10_000).length).toBeLessThanOrEqual(500);
  log.openFile();
  await log.close();
  expect((await readFile(path, 'utf8')).trimEnd().split('\n')).toEqual(lines);
  expect(log.recent(10_000)).toEqual(lines.slice(-20));
});

it('LC-12: a second run continues in the same file', async () => {
  const { log, path } = await logIn();
  log.openFile();
  log.add('first run');
  await log.close();
  const again = new OutputLog(nodeHost(join(path, '..')), path);
  again.openFile();
  again.add('second run');
  await again.close();
  expect(await readFile(path, 'utf8')).toBe('first run\nsecond run\n');
});

it('LC-7: long lines are cut, and a file that can’t be opened stops nothing', async () => {
  const { log, path } = await logIn();
  log.openFile();
  log.add('x'.repeat(1_000));
  await log.close();
  expect((await readFile(path, 'utf8')).length).toBe(301);
  const nowhere = new OutputLog(nodeHost('/'), join(path, 'below-a-file', 'a.output'));
  nowhere.openFile();
  nowhere.add('goes on');
  await nowhere.close();
  expect(nowhere.last).toBe('goes on');
});
