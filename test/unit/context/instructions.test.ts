/** EX-1: which instruction files are loaded, in what order, and what excludes one. */

import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { type Instructions, loadInstructions } from '../../../src/context/instructions.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { scratchFolder } from '../../support/scratch.js';

type Place = {
  readonly scratch: string;
  readonly root: string;
  load(folder?: string, trusted?: boolean): Promise<Instructions>;
};

/** Files by their path below a scratch folder that has `repo`, `home/.claude` and `managed.md`. */
async function place(files: Readonly<Record<string, string | Buffer>>): Promise<Place> {
  const scratch = await scratchFolder();
  await mkdir(join(scratch, 'repo'), { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(scratch, name)), { recursive: true });
    await writeFile(join(scratch, name), content);
  }
  const root = join(scratch, 'repo');
  return {
    scratch,
    root,
    load: (folder = root, trusted = false) =>
      loadInstructions({
        host: nodeHost(folder, {}),
        folder,
        root,
        configDir: join(scratch, 'home/.claude'),
        managedFile: join(scratch, 'managed.md'),
        home: join(scratch, 'home'),
        stateDir: join(scratch, 'home/.coppice'),
        trusted,
      }),
  };
}

const texts = ({ files }: Pick<Instructions, 'files'>) => files.map(({ text }) => text.trim());

it('EX-1: all places, from the widest to the nearest', async () => {
  const { root, load } = await place({
    'managed.md': 'managed',
    'home/.claude/CLAUDE.md': 'person',
    'repo/CLAUDE.md': 'root',
    'repo/.claude/CLAUDE.md': 'root, dot folder',
    'repo/CLAUDE.local.md': 'root, local',
    'repo/a/AGENTS.md': 'a, agents',
    'repo/a/.claude/CLAUDE.md': 'a, dot folder',
    'repo/a/CLAUDE.local.md': 'a, local',
    'repo/a/b/CLAUDE.md': 'b',
    'repo/a/b/c/CLAUDE.md': 'c, below the working folder',
    'repo/other/CLAUDE.md': 'beside the way',
    'CLAUDE.md': 'above the repository',
    'home/.claude/rules/mine.md': 'rule of the person',
    'repo/.claude/rules/deep/team.md': 'rule of the project',
  });
  const loaded = await load(join(root, 'a/b'));
  expect(texts(loaded)).toEqual([
    'managed',
    'person',
    'root',
    'root, dot folder',
    'root, local',
    'a, dot folder',
    'a, agents',
    'a, local',
    'b',
    'rule of the person',
    'rule of the project',
  ]);
  expect(loaded.warnings).toEqual([]);
});

it('EX-1: AGENTS.md is used only if there is no CLAUDE.md next to it', async () => {
  const { root, load } = await place({
    'repo/CLAUDE.md': 'claude',
    'repo/AGENTS.md': 'agents beside claude',
    'repo/a/AGENTS.md': 'agents alone',
  });
  expect(texts(await load(join(root, 'a')))).toEqual(['claude', 'agents alone']);
});

it('EX-1: a file under two names is loaded once', async () => {
  const { root, load } = await place({ 'repo/AGENTS.md': 'shared words', 'repo/.claude/rules/one.md': 'a rule' });
  await symlink('AGENTS.md', join(root, 'CLAUDE.md'));
  await symlink('../AGENTS.md', join(root, '.claude/CLAUDE.md'));
  expect(texts(await load())).toEqual(['shared words', 'a rule']);
});

it('EX-1: imports are taken in to depth 4, relative to the file that names them', async () => {
  const { load } = await place({
    'repo/CLAUDE.md': 'zero @docs/one.md',
    'repo/docs/one.md': 'one @two.md',
    'repo/docs/two.md': 'two @../three.md',
    'repo/three.md': 'three @./four.md',
    'repo/four.md': 'four @five.md',
    'repo/five.md': 'five',
  });
  const loaded = await load();
  expect(texts(loaded)).toEqual(['zero one two three four @five.md']);
  expect(loaded.warnings).toEqual([expect.stringMatching(/four\.md imports five\.md, more than 4 levels deep/)]);
});

it('EX-1: imports in a circle end; code and addresses are no imports', async () => {
  const { load } = await place({
    'repo/CLAUDE.md': 'a @b.md\n`@b.md` and someone@b.md\n```\n@b.md\n```\n@missing.md',
    'repo/b.md': 'b @CLAUDE.md @b.md',
  });
  expect(texts(await load())).toEqual(['a b @CLAUDE.md @b.md\n`@b.md` and someone@b.md\n```\n@b.md\n```\n@missing.md']);
});

it('EX-1: a project imports nothing from outside; the user may import anything', async () => {
  const { scratch, root, load } = await place({
    'secret.txt': 'the secret',
    'home/notes.md': 'notes of mine',
    'home/.claude/CLAUDE.md': 'person @~/notes.md',
    'repo/CLAUDE.md': 'project @../secret.txt @inside.md',
    'repo/AGENTS.md': '',
  });
  await symlink(join(scratch, 'secret.txt'), join(root, 'inside.md'));
  const loaded = await load();
  expect(texts(loaded)).toEqual(['person notes of mine', 'project @../secret.txt @inside.md']);
  expect(loaded.warnings).toEqual([
    expect.stringMatching(/imports \.\.\/secret\.txt, which is outside the project/),
    expect.stringMatching(/imports inside\.md, which is outside the project/),
  ]);
});

it('EX-1: a link that leads out of the project is not followed', async () => {
  const { scratch, root, load } = await place({ 'secret.txt': 'the secret' });
  await symlink(join(scratch, 'secret.txt'), join(root, 'CLAUDE.md'));
  const loaded = await load();
  expect(loaded.files).toEqual([]);
  expect(loaded.warnings).toEqual([expect.stringMatching(/CLAUDE\.md was not loaded: it points outside the project/)]);
});

it('EX-1: more than 4 MiB, not text, not a file: reported, not loaded; exactly 4 MiB is', async () => {
  const { root, load } = await place({
    'repo/CLAUDE.md': 'x'.repeat(4 * 1024 * 1024),
    'repo/.claude/CLAUDE.md': 'y'.repeat(4 * 1024 * 1024 + 1),
    'repo/CLAUDE.local.md': Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]),
    'repo/a/CLAUDE.md/x': 'a folder of that name',
  });
  const loaded = await load(join(root, 'a'));
  expect(loaded.files.map(({ text }) => text.length)).toEqual([4 * 1024 * 1024]);
  expect(loaded.warnings).toEqual([
    expect.stringMatching(/it is too large \(4194305 bytes, at most 4194304\)/),
    expect.stringMatching(/not a text file/),
    expect.stringMatching(/it is a folder, not a file/),
  ]);
});

it('EX-1: rules with paths wait for a file they name, nested instructions for a file next to them; each once', async () => {
  const { root, load } = await place({
    'repo/.claude/rules/ts.md': '---\npaths: "src/**/*.{ts,tsx}"\n---\nfor typescript',
    'repo/.claude/rules/docs.md': '---\npaths:\n  - docs/**\n  - "*.md"\n---\nfor docs',
    'repo/.claude/rules/all.md': '---\ndescription: no paths\n---\nfor all',
    'repo/src/deep/CLAUDE.md': 'deep down',
    'repo/src/deep/CLAUDE.local.md': 'deep down, local',
  });
  const loaded = await load();
  expect(texts(loaded)).toEqual(['for all']);
  const told = new Set<string>();
  const forFile = async (path: string, heard = told) => texts({ files: await loaded.forFile(join(root, path), heard) });
  expect(await forFile('package.json')).toEqual([]);
  expect(await forFile('src/deep/er/x.tsx')).toEqual(['deep down', 'deep down, local', 'for typescript']);
  expect(await forFile('src/deep/y.ts')).toEqual([]);
  expect(await forFile('README.md')).toEqual(['for docs']);
  expect(await forFile('../secret.md')).toEqual([]);
  // Another agent has heard none of it yet.
  expect(await forFile('src/deep/y.ts', new Set())).toEqual(['deep down', 'deep down, local', 'for typescript']);
});
