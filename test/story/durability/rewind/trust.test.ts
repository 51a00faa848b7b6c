/** DU-23: rewinds after a crash, of foreign transcripts and of files that can't be stored. */

import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { DurableEventOf } from '../../../../src/protocol/events.js';
import { eventsOf, type Stage } from '../../../support/story.js';
import { lastSent } from '../../../support/wire-body.js';
import { openChanging, setCommandStage, snapshot } from './command-stage.js';

const COMMAND = 'rm -r tree; mv a.txt b.txt';

/** A session whose process died after the command, before the record of what it left. */
async function setKilled(): Promise<{ stage: Stage; id: string; before: object }> {
  const stage = await setCommandStage();
  await stage.write('a.txt', 'one\n');
  await stage.write('tree/sub/c.txt', 'two\n');
  const before = snapshot(stage.folder);
  const session = await openChanging(stage, { [COMMAND]: { changes: ['tree', 'a.txt', 'b.txt'] } });
  await session.send(`run ${COMMAND}`);
  await session.close();
  const lines = (await readFile(session.transcript, 'utf8')).split('\n');
  const at = lines.findIndex((line) => line.includes('"files-left"'));
  expect(at).toBeGreaterThan(0);
  await writeFile(session.transcript, `${lines.slice(0, at).join('\n')}\n`);
  return { stage, id: session.id, before };
}

it('GT-36 DU-23: killed before the end of the command was recorded: what is gone comes back, what is there is asked about', async () => {
  const { stage, id, before } = await setKilled();
  const session = await openChanging(stage, {}, { resume: id });
  const made = join(stage.folder, 'b.txt');
  const asked: string[] = [];
  const mayOverwrite = async (path: string) => asked.push(path) > 0;
  expect(await session.rewind({ to: 1, part: 'files', mayOverwrite })).toMatchObject({ ok: true, left: [] });
  expect(asked).toEqual([made]);
  expect(snapshot(stage.folder)).toEqual(before);
});

it('GT-36 DU-23: killed, and rewound with a resume: nobody can be asked, so only what was gone comes back', async () => {
  const { stage, id } = await setKilled();
  await openChanging(stage, {}, { resume: id, rewind: { to: 1, part: 'files' } });
  expect(await stage.read('tree/sub/c.txt')).toBe('two\n');
  expect(await stage.read('a.txt')).toBe('one\n');
  expect(await readdir(stage.folder)).toContain('b.txt');
});

/** Puts records into a closed session, as if it had changed other paths. */
async function forge(stage: Stage, paths: readonly string[]) {
  await stage.write('a.txt', 'stored\n');
  const session = await openChanging(stage, { 'rm a.txt': { changes: ['a.txt'] } });
  await session.send('run rm a.txt');
  await session.close();
  const [kept] = eventsOf(stage, 'files-kept') as DurableEventOf<'files-kept'>[];
  const [file] = kept?.files ?? [];
  const lines = (await readFile(session.transcript, 'utf8')).split('\n').map((line) => {
    if (!line.includes('"files-kept"') && !line.includes('"files-left"')) return line;
    const isKept = line.includes('"files-kept"');
    const files = paths.map((path) => (isKept ? { ...file, path } : { path, sha256: null }));
    return JSON.stringify({ ...JSON.parse(line), files });
  });
  await writeFile(session.transcript, lines.join('\n'));
  return openChanging(stage, {}, { resume: session.id });
}

it('DU-23: a foreign transcript can’t lead a rewind out of the folders, through links, or to git’s own files', async () => {
  const stage = await setCommandStage();
  const outside = join(dirname(stage.folder), 'outside');
  await mkdir(outside);
  await mkdir(join(stage.folder, '.git/hooks'), { recursive: true });
  await symlink(outside, join(stage.folder, 'link'));
  const paths = [
    join(outside, 'x'),
    join(stage.folder, '../outside/y'),
    join(stage.folder, 'link/z'),
    join(stage.folder, '.git/hooks/pre-commit'),
    join(stage.home, '.bashrc'),
    `${stage.folder}-other/x`,
    'relative',
    join(stage.folder, 'fine'),
  ];
  const session = await forge(stage, paths);
  const rewound = await session.rewind({ to: 1, part: 'files', overwrite: paths });
  expect(rewound).toMatchObject({ ok: true, files: [{ path: join(stage.folder, 'fine') }] });
  expect(rewound.ok && rewound.left).toHaveLength(paths.length - 1);
  expect(await readdir(outside)).toEqual([]);
  expect(await readdir(join(stage.folder, '.git/hooks'))).toEqual([]);
  expect(await stage.read('fine')).toBe('stored\n');
});

it('GT-36 DU-23: what can’t be stored is not changed: the command does not run', async () => {
  const stage = await setCommandStage();
  await stage.write('a.txt', 'precious\n');
  const session = await openChanging(stage, { 'rm a.txt': { changes: ['a.txt'] } });
  const stored = join(session.transcript.replace(/\.jsonl$/, ''), 'files');
  await session.send('hello');
  await writeFile(stored, 'in the way');
  await session.send('run rm a.txt');
  expect(await stage.read('a.txt')).toBe('precious\n');
  expect(lastSent(stage.sim).slice(-700)).toContain('The command was not run: what it changes could not be saved');
  await rm(stored);
  await session.send('run rm a.txt');
  expect(await readdir(stage.folder)).toEqual([]);
});
