/** Definitions that were parsed before are not read again; every change of a file is seen. */

import { readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { loadDefinitions } from '../../../../src/config/definitions/load-definitions.js';
import type { Host } from '../../../../src/host/host.js';
import { makeScratch, type Scratch } from '../scratch.js';

/** A clock by which the files were written a while ago, and the names of the files that are opened. */
function watched(scratch: Scratch): { readonly host: Host; opened(): readonly string[] } {
  const names: string[] = [];
  const { files, clock } = scratch.host;
  const holdFolder: typeof files.holdFolder = async (path) => {
    const folder = await files.holdFolder(path);
    return {
      ...folder,
      openRead: (name) => {
        names.push(name);
        return folder.openRead(name);
      },
    };
  };
  const host = {
    ...scratch.host,
    files: { ...files, holdFolder },
    clock: { ...clock, now: () => Date.now() + 60_000 },
  };
  return { host, opened: () => names.splice(0) };
}

const load = async (host: Host, cwd: string, trusted = true) => {
  const { definitions, problems } = await loadDefinitions({ host, cwd, repoRoot: cwd, trusted });
  return { agents: [...definitions.values()], problems };
};
const agent = (name: string, prompt: string, more = '') =>
  `---\nname: ${name}\ndescription: d\n${more}---\n${prompt}\n`;
const keptIn = ({ home }: Scratch) => join(home, '.coppice', 'definitions');

it('AG-4: files that did not change are parsed once, and come to the same', async () => {
  const scratch = makeScratch();
  for (const name of ['a', 'b', 'c'])
    scratch.write(`project/.claude/agents/${name}.md`, agent(name, `I am ${name} – ü`));
  scratch.write('project/.claude/agents/odd.md', agent('odd', 'x', 'modle: opus\n'));
  scratch.write('project/.claude/agents/broken.md', '---\nno fields\n');
  scratch.write('project/.claude/agents/long.md', agent('long', 'ü'.repeat(50_000)));
  const { host, opened } = watched(scratch);
  const first = await load(host, scratch.project);
  expect(opened().toSorted()).toEqual(['a.md', 'b.md', 'broken.md', 'c.md', 'long.md', 'odd.md']);
  const again = await load(host, scratch.project);
  expect(opened()).toEqual([]);
  expect(again).toEqual(first);
  expect(again.agents.map(({ prompt }) => prompt)).toEqual(first.agents.map(({ prompt }) => prompt));
  expect(again.agents[0]?.prompt).toContain('I am a – ü');
  expect(again.problems.length).toBeGreaterThan(1);
});

it('AG-4: a change is seen, also one that keeps size and time; new and deleted files too', async () => {
  const scratch = makeScratch();
  const file = scratch.write('project/.claude/agents/a.md', agent('a', 'one'));
  const gone = scratch.write('project/.claude/agents/gone.md', agent('gone', 'x'));
  const { host, opened } = watched(scratch);
  await load(host, scratch.project);
  opened();
  const { atime, mtime } = statSync(file);
  writeFileSync(file, agent('a', 'two'));
  utimesSync(file, atime, mtime);
  rmSync(gone);
  scratch.write('project/.claude/agents/new.md', agent('new', 'x'));
  const { agents } = await load(host, scratch.project);
  expect(opened().toSorted()).toEqual(['a.md', 'new.md']);
  expect(agents.map(({ name, prompt }) => [name, prompt.trim()])).toEqual([
    ['a', 'two'],
    ['new', 'x'],
  ]);
  renameSync(file, join(scratch.project, '.claude/agents/z.md'));
  const moved = await load(host, scratch.project);
  expect(moved.agents.map(({ source }) => basename(source.file))).toEqual(['new.md', 'z.md']);
});

it('GT-2: what was stored in a trusted folder does not act in one that is not', async () => {
  const scratch = makeScratch();
  scratch.write('project/.claude/agents/a.md', agent('a', 'x', 'permissionMode: acceptEdits\n'));
  const { host, opened } = watched(scratch);
  expect((await load(host, scratch.project)).agents[0]).toMatchObject({ permissionMode: 'acceptEdits' });
  opened();
  const { agents, problems } = await load(host, scratch.project, false);
  expect(opened()).toEqual([]);
  expect(agents[0]).not.toHaveProperty('permissionMode');
  expect(agents[0]?.source.trusted).toBe(false);
  expect(problems).toHaveLength(1);
});

it('AG-4: a file that was changed just now is not stored; what was stored and is damaged is not used', async () => {
  const scratch = makeScratch();
  scratch.write('project/.claude/agents/a.md', agent('a', 'x'));
  await load(scratch.host, scratch.project);
  const { host, opened } = watched(scratch);
  await load(host, scratch.project);
  expect(opened()).toEqual(['a.md']);
  const [name = ''] = readdirSync(keptIn(scratch));
  const path = join(keptIn(scratch), name);
  for (const damaged of ['', '{', readFileSync(path, 'utf8').slice(0, -1)]) {
    writeFileSync(path, damaged);
    expect((await load(host, scratch.project)).agents).toHaveLength(1);
    expect(opened()).toEqual(['a.md']);
  }
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
