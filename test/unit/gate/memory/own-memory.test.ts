/** The folder of an agent's notes as the gate knows it: the notes, and nothing they lead to (ME-3). */

import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JudgedAgent } from '../../../../src/gate/requester.js';
import type { ViewRequest } from '../../../../src/gate/sandbox/sandbox.js';
import { type MemoryBench, makeMemoryBench, put, read, write } from './memory-bench.js';

/** It has Read, Write and Edit for everything, by its definition. */
const withTools = ({ agent }: MemoryBench): JudgedAgent =>
  agent.memory === undefined ? agent : { ...agent, memory: { ...agent.memory, tools: [] } };

describe('an agent that has its tools for its notes alone', () => {
  it('ME-3: plain paths in the folder are allowed, and nothing else is, in any mode', async () => {
    const bench = await makeMemoryBench();
    await put(join(bench.memory, 'topics/a.md'), 'x');
    for (const mode of ['default', 'acceptEdits', 'bypassPermissions', 'dontAsk'] as const) {
      const agent = { ...bench.agent, mode };
      const behavior = async (tool: typeof read, file_path: string) =>
        (await bench.decide(tool, { file_path, content: '' }, agent)).decision.behavior;
      for (const note of ['MEMORY.md', 'topics/a.md', 'new/deep/b.md', join(bench.memory, 'c.md'), 'sub/../d.md']) {
        expect(await behavior(read, note), note).toBe('allow');
        expect(await behavior(write, note), note).toBe('allow');
      }
      for (const other of [
        bench.outside,
        join(bench.outside, 'secret.md'),
        '../mem-evil/x.md',
        '../x.md',
        '/etc/passwd',
      ]) {
        expect(await behavior(read, other), other).toBe('deny');
        expect(await behavior(write, other), other).toBe('deny');
      }
      for (const odd of [
        'run.sh',
        '.hidden.md',
        '.git/a.md',
        'a.md.',
        'a.MD',
        'b\u200b.md',
        'b\u034f.md',
        '\u3164.md',
        'a\u2028b.md',
        'a /b.md',
        ' a.md',
        'x\\..\\y.md',
        'GIT~1/hooks/a.md',
        '\uff0egit/hooks/a.md',
        'e\u0301.md',
        'a:b.md',
        '.md',
      ])
        expect(await behavior(write, odd), JSON.stringify(odd)).toBe('deny');
    }
  });
});

describe('what is in the folder and yet no note', () => {
  it('ME-3: a folder, a pipe, a link to another note, a way to a note through a link', async () => {
    const bench = await makeMemoryBench();
    await put(join(bench.memory, 'a.md'), 'x');
    mkdirSync(join(bench.memory, 'folder.md'));
    execFileSync('mkfifo', [join(bench.memory, 'pipe.md')]);
    symlinkSync('a.md', join(bench.memory, 'alias.md'));
    symlinkSync(bench.memory, join(bench.agent.folder, 'way'));
    const behavior = async (tool: typeof read, file_path: string) =>
      (await bench.decide(tool, { file_path, content: '' })).decision.behavior;
    for (const path of ['pipe.md', 'alias.md', join(bench.agent.folder, 'way/a.md')]) {
      expect(await behavior(read, path), path).toBe('deny');
      expect(await behavior(write, path), path).toBe('deny');
    }
    expect(await behavior(write, 'folder.md')).toBe('deny');
    expect(await behavior(write, 'folder.md/a.md')).toBe('allow');
  });

  it('ME-3: a call that does more than one thing is about notes only if all of it is', async () => {
    const { gate, agent, memory, outside } = await makeMemoryBench();
    const note = { kind: 'read', path: join(memory, 'a.md') } as const;
    const other = { kind: 'read', path: join(outside, 'secret.md') } as const;
    const edited = { kind: 'edit', path: join(outside, 'secret.md') } as const;
    const behavior = async (actions: readonly (typeof note | typeof edited)[]) =>
      (await gate.decide({ ...agent, mode: 'bypassPermissions' }, { id: 'c1', tool: 'Read', input: {}, actions }))
        .decision.behavior;
    expect(await behavior([note])).toBe('allow');
    for (const actions of [[note, other], [other, note], [note, edited], []])
      expect(await behavior(actions)).toBe('deny');
  });

  it('ME-9: notes never become instructions: files that are treated as such are asked about as any file', async () => {
    const bench = await makeMemoryBench();
    for (const path of ['CLAUDE.md', 'AGENTS.md', 'CLAUDE.local.md', 'topics/claude.md', 'topics/Agents.md']) {
      expect((await bench.decide(write, { file_path: path, content: '' })).decision.behavior, path).toBe('deny');
      const asked = await bench.decide(write, { file_path: path, content: '' }, withTools(bench));
      expect(asked.decision.behavior, path).toBe('ask');
    }
    for (const path of ['agents-of-change.md', 'my-claude.md'])
      expect((await bench.decide(write, { file_path: path, content: '' })).decision.behavior, path).toBe('allow');
  });
});

describe('an agent that has its tools for everything', () => {
  it.each([
    ['the folder', (bench: MemoryBench) => bench.memory],
    ['the folder around it', (bench: MemoryBench) => join(bench.memory, '..')],
  ])('ME-3: %s becomes a link before the first call: what it leads to is not readable', async (_what, at) => {
    const bench = await makeMemoryBench();
    const path = at(bench);
    await put(join(bench.outside, 'mem/deep.md'), 'x');
    renameSync(path, `${path}.aside`);
    symlinkSync(bench.outside, path);
    const agent = { ...withTools(bench), cwd: bench.agent.folder };
    for (const name of ['secret.md', 'mem/deep.md']) {
      for (const given of [join(bench.outside, name), join(bench.memory, name)]) {
        expect((await bench.decide(read, { file_path: given }, agent)).decision.behavior, given).not.toBe('allow');
        const shell = { kind: 'shell', command: `cat ${given}`, cwd: agent.cwd } as const;
        const call = { id: 'c1', tool: 'Bash', input: { command: shell.command }, actions: [shell] };
        expect((await bench.gate.decide(agent, call)).decision.behavior, given).not.toBe('allow');
      }
    }
  });

  it('ME-3: what it leads to is not shown to commands that only read', async () => {
    const shown: (readonly string[])[] = [];
    const prepare = async ({ readRoots }: ViewRequest) => {
      shown.push(readRoots);
      return { ok: false as const, reason: 'none here' };
    };
    const bench = await makeMemoryBench({ box: { prepare } });
    const command = 'cat a.md';
    const cwd = bench.agent.folder;
    const call = { id: 'c1', tool: 'Bash', input: { command }, actions: [{ kind: 'shell', command, cwd } as const] };
    await bench.gate.decide({ ...bench.agent, cwd }, call);
    expect(shown.at(-1)).toContain(bench.memory);
    rmSync(bench.memory, { recursive: true });
    symlinkSync(bench.outside, bench.memory);
    await bench.gate.decide({ ...bench.agent, cwd }, call);
    expect(shown).toHaveLength(2);
    expect(shown.at(-1)).toEqual([]);
  });

  it('ME-3: a link that takes its place after it was checked makes nothing readable', async () => {
    const bench = await makeMemoryBench();
    const { files } = bench.agent;
    const swapped = (path: string) => files.realpath(path === bench.memory ? bench.outside : path);
    const agent = { ...withTools(bench), cwd: bench.agent.folder, files: { ...files, realpath: swapped } };
    const given = { file_path: join(bench.outside, 'secret.md') };
    expect((await bench.decide(read, given, agent)).decision.behavior).toBe('ask');
  });

  it('ME-3: a folder that comes later is its own, and one that became a link is not', async () => {
    const bench = await makeMemoryBench();
    rmSync(bench.memory, { recursive: true });
    const agent = { ...withTools(bench), cwd: bench.agent.folder, roots: [bench.outside] };
    const note = { file_path: join(bench.memory, 'a.md'), content: '' };
    expect((await bench.decide(read, note, agent)).decision.behavior).toBe('allow');
    await put(note.file_path, 'x');
    expect((await bench.decide(read, note, agent)).decision.behavior).toBe('allow');
    expect((await bench.decide(write, note, agent)).decision.behavior).toBe('allow');
    rmSync(bench.memory, { recursive: true });
    symlinkSync(join(bench.top, 'home'), bench.memory);
    for (const tool of [read, write]) expect((await bench.decide(tool, note, agent)).decision.behavior).toBe('ask');
  });

  it('ME-3: another name of a file elsewhere is no note, and is not read as one', async () => {
    const bench = await makeMemoryBench();
    linkSync(join(bench.outside, 'secret.md'), join(bench.memory, 'hard.md'));
    const note = { file_path: 'hard.md', content: '' };
    for (const tool of [read, write])
      expect((await bench.decide(tool, note, withTools(bench))).decision.behavior).toBe('ask');
    const all = { ...withTools(bench), mode: 'bypassPermissions' as const };
    expect(await bench.call(read, note, { agent: all })).toMatchObject({ refused: true });
  });
});
