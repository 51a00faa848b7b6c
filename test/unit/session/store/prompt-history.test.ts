import { spawnSync } from 'node:child_process';
import { appendFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { identifyOwnProcess } from '../../../../src/host/locks/process-identity.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { PromptHistory } from '../../../../src/session/store/prompt-history.js';
import { scratchFolder } from '../../../support/scratch.js';

const host = nodeHost('/');

it('TU-18: typed prompts are there in the next session, in order, each once in a row', async () => {
  const folder = join(await scratchFolder(), 'projects', 'p');
  const first = new PromptHistory(host, folder, 'one');
  for (const text of ['a', 'b\nc', 'b\nc', ' ', 'a']) await first.add(text);
  await Promise.all(['d', 'e'].map((text) => new PromptHistory(host, folder, 'two').add(text)));
  const entries = await new PromptHistory(host, folder, 'three').entries();
  expect(entries.slice(0, 3)).toEqual(['a', 'b\nc', 'a']);
  expect(entries.slice(3).toSorted()).toEqual(['d', 'e']);
  expect((await stat(`${folder}.history`)).mode & 0o777).toBe(0o600);
});

it('TU-18: a line that a crash has cut off hides no other', async () => {
  const folder = join(await scratchFolder(), 'p');
  const history = new PromptHistory(host, folder, 's');
  await history.add('a');
  await appendFile(`${folder}.history`, '{"at":1,"text":"cut o');
  await history.add('b');
  await appendFile(`${folder}.history`, 'nonsense\n[]\n');
  expect(await history.entries()).toEqual(['a', 'b']);
});

it('TU-18: the draft of a process that is gone is there again: in its session, or in the history of the next', async () => {
  const folder = join(await scratchFolder(), 'p');
  const dead = spawnSync('true').pid;
  const own = await identifyOwnProcess(host);
  await mkdir(`${folder}.drafts`);
  const draft = (text: string, pid: number) => JSON.stringify({ text, by: { ...own, pid } });
  await writeFile(join(`${folder}.drafts`, 'crashed'), draft('half a sentence', dead));
  await writeFile(join(`${folder}.drafts`, 'broken'), '{');
  const alive = new PromptHistory(host, folder, 'alive');
  await alive.saveDraft('being typed');
  expect(await new PromptHistory(host, folder, 'crashed').draft()).toBe('half a sentence');
  // The session that resumes does not move it into the history.
  expect(await new PromptHistory(host, folder, 'crashed').entries()).toEqual([]);
  const next = new PromptHistory(host, folder, 'next');
  expect(await next.entries()).toEqual(['half a sentence']);
  expect(await next.entries()).toEqual(['half a sentence']);
  expect(await new PromptHistory(host, folder, 'crashed').draft()).toBeUndefined();
  expect(await alive.draft()).toBe('being typed');
});

it('TU-18: of several quick drafts the last is saved; an empty one is removed', async () => {
  const folder = join(await scratchFolder(), 'p');
  const history = new PromptHistory(host, folder, 's');
  await Promise.all(['a', 'ab', 'abc'].map((text) => history.saveDraft(text)));
  expect(await history.draft()).toBe('abc');
  expect(JSON.parse(await readFile(join(`${folder}.drafts`, 's'), 'utf8'))).toMatchObject({ text: 'abc' });
  await history.saveDraft('');
  expect(await history.draft()).toBeUndefined();
  expect(await readdir(`${folder}.drafts`)).toEqual([]);
});

it('TU-18: without write access, typing still works', async () => {
  const folder = join(await scratchFolder(), 'file', 'p');
  await writeFile(join(folder, '..'), '');
  const history = new PromptHistory(host, folder, 's');
  await history.add('a');
  await history.saveDraft('b');
  expect(await history.entries()).toEqual([]);
  expect(await history.draft()).toBeUndefined();
});
