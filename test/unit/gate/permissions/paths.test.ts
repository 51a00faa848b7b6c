/** The path engine: links on both sides, missing tails, protected names (GT-7). */

import { link, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explain } from '../../../../src/gate/permissions/judge.js';
import { findProgramKey } from '../../../../src/gate/permissions/paths/git-config.js';
import { findProtectedName } from '../../../../src/gate/permissions/paths/protected-names.js';
import { findUntrustedProgram, readRepository } from '../../../../src/gate/permissions/paths/repository.js';
import { isWithin } from '../../../../src/gate/permissions/paths/resolve-path.js';
import { createResolver } from '../../../../src/gate/permissions/paths/resolver.js';
import { nodeFiles } from '../../../../src/host/node-files.js';
import fc from '../../../support/fast-check.js';
import { makePlayground, type Playground } from './playground.js';

let place: Playground;
const resolve = (path: string) => createResolver(place.policy(), place.root).resolve(path, place.root);

beforeAll(async () => {
  place = await makePlayground();
  await place.write('dir/file');
  await writeFile(join(place.outside, 'secret'), 'x');
  await symlink(place.outside, join(place.root, 'out'));
  await symlink('dir', join(place.root, 'in'));
  await symlink(join(place.outside, 'nothing'), join(place.root, 'dangling'));
  await symlink('loop', join(place.root, 'loop'));
  await symlink('/', join(place.root, 'slash'));
  await symlink('out', join(place.root, 'chain'));
  await link(join(place.outside, 'secret'), join(place.root, 'hard'));
  await mkdir(`${place.root}-evil`);
});
afterAll(() => place.remove());

describe('GT-7 where a path leads', () => {
  it.each([
    ['dir/file', true, 'file'],
    ['dir', true, 'folder'],
    ['in/file', true, 'file'],
    ['in/new', true, 'missing'],
    ['new/deep/file', true, 'missing'],
    ['./dir//file', true, 'file'],
    ['out/secret', false, 'file'],
    ['out/new', false, 'missing'],
    ['chain/secret', false, 'file'],
    ['slash/etc/hosts', false, 'file'],
    ['dangling', false, 'missing'],
    ['../elsewhere/secret', false, 'file'],
    ['../project-evil/x', false, 'missing'],
    ['..', false, 'folder'],
    ['/', false, 'folder'],
  ])('GT-7: %s', async (path, inside, kind) => {
    const found = await resolve(path);
    expect(found.inside !== undefined).toBe(inside);
    expect(found.kind).toBe(kind);
  });

  it('GT-7: problems are reported', async () => {
    expect((await resolve('loop')).problem).toMatch(/cycle/);
    expect((await resolve('a\0b')).problem).toMatch(/NUL/);
    expect((await resolve('in/../dir/file')).problem).toBeUndefined();
    expect((await resolve('out/../project/dir/file')).problem).toMatch(/different paths/);
    expect((await resolve('nothing/../dir/file')).problem).toMatch(/does not exist|different/);
    expect((await resolve('/proc/self/environ')).problem).toMatch(/running system/);
    expect((await resolve('x'.repeat(256))).problem).toMatch(/too long/);
    expect((await resolve('a/'.repeat(300))).problem).toMatch(/too deep/);
    expect((await resolve('hard')).writeProblem).toMatch(/hard link/);
    expect((await resolve('dangling')).writeProblem).toMatch(/does not exist/);
    expect((await resolve('in/new')).writeProblem).toBeUndefined();
  });

  it('GT-7: a root that is itself a link, and a root given by its real name, are the same', async () => {
    const alias = join(place.outside, 'alias');
    await symlink(place.root, alias);
    const policy = place.policy({ roots: [alias], mode: 'acceptEdits' });
    const resolver = createResolver(policy, alias);
    expect((await resolver.resolve('dir/file', alias)).inside).toBe(place.root);
    expect((await resolver.resolve(join(place.root, 'dir/file'), alias)).inside).toBe(place.root);
    const denied = place.policy({ roots: [alias], deny: ['Read(dir/**)'] });
    const read = (path: string) =>
      explain({ tool: 'Read', input: {}, cwd: alias, actions: [{ kind: 'read', path }] }, denied);
    for (const path of [join(alias, 'dir/file'), join(place.root, 'dir/file'), join(place.root, 'in/file')])
      expect((await read(path)).decision.behavior, path).toBe('deny');
  });

  it('GT-7: names are compared whole, not by how a string begins', () => {
    expect(isWithin('/a/bc', '/a/b')).toBe(false);
    expect(isWithin('/a/b', '/a/b')).toBe(true);
    expect(isWithin('/a/b/c', '/a/b/')).toBe(true);
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'ab'), { maxLength: 4 }),
        fc.array(fc.constantFrom('a', 'b', 'ab')),
        (root, tail) => {
          expect(isWithin(`/${[...root, ...tail].join('/')}`, `/${root.join('/')}`)).toBe(true);
        },
      ),
    );
  });

  it('GT-7: what was judged is handed on, so that the tool can open just that', async () => {
    const path = join(place.root, 'in/file');
    const { realPaths } = await explain(
      { tool: 'Read', input: {}, cwd: place.root, actions: [{ kind: 'read', path }] },
      place.policy(),
    );
    expect(realPaths.get(path)).toBe(join(place.root, 'dir/file'));
    await rename(join(place.root, 'in'), join(place.root, 'was-in'));
    await rename(join(place.root, 'was-in'), join(place.root, 'in'));
  });
});

describe('GT-7 protected names', () => {
  it.each([
    '.git/config',
    'a/.git/hooks/x',
    '.git',
    '.GIT/config',
    '.git./config',
    '.git /x',
    '.git::$INDEX_ALLOCATION/config',
    'GIT~1/x',
    '.g\u200cit/x',
    '.claude/settings.json',
    '.claude/settings.local.json',
    '.CLAUDE/Settings.json',
    '.claude/agents/a.md',
    '.claude/hooks/x',
    '.claude/commands/c.md',
    '.claude/skills/s/SKILL.md',
    '.mcp.json',
    '.gitmodules',
    '.gitconfig',
    '.bashrc',
    '.zshrc',
    '.profile',
    'x/.bash_profile',
    '.vscode/tasks.json',
    '.idea/x',
    '.husky/pre-commit',
    '.ＧＩＴ/config',
    '.githooks/pre-commit',
    'lefthook.yml',
    'app/.lefthook-local.toml',
    '.pre-commit-config.yaml',
    '.lintstagedrc.json',
    'lint-staged.config.mjs',
    '.simple-git-hooks.json',
    '.envrc',
    '.tool-versions',
    'mise.toml',
    '.mise.local.toml',
    '.config/mise/config.toml',
    '.config/mise.toml',
    '.cargo/config.toml',
    'rust-toolchain.toml',
    '.vscode/tasks.json',
    'x.code-workspace',
    '.devcontainer/devcontainer.json',
    '.cursor/mcp.json',
    '.nvim.lua',
    '.dir-locals.el',
    '.npmrc',
    'packages/a/.npmrc',
    '.yarnrc.yml',
    '.yarn/releases/yarn-4.cjs',
    '.pnpmfile.cjs',
    '.bazelrc',
    'LEFTHOOK.YML',
  ])('GT-7: %s always asks, absent or not, in every mode but bypass', async (path) => {
    expect(findProtectedName(path.split('/'))).toBeDefined();
    const edit = { kind: 'edit', path: join(place.root, path) } as const;
    for (const mode of ['default', 'acceptEdits'] as const)
      expect(await place.act('Write', edit, { mode, allow: ['Edit', 'Edit(//**)'] })).toMatchObject({
        behavior: 'ask',
        by: 'check protected-name',
      });
    expect((await place.act('Write', edit, { mode: 'dontAsk', allow: ['Edit'] })).behavior).toBe('deny');
    expect((await place.act('Write', edit, { mode: 'bypassPermissions' })).behavior).toBe('allow');
    if (/^[\w./]+$/.test(path))
      expect((await place.bash(`echo x > ${path}`, { mode: 'acceptEdits', allow: ['Bash', 'Edit'] })).behavior).toBe(
        'ask',
      );
  });

  it.each([
    'src/git/x',
    '.gitignore',
    '.github/workflows/x',
    '.claude/agent-memory/a',
    '.claude/worktrees/w/src/a',
    'settings.json',
    'agents/x',
    'gitx',
    'package.json',
    'Makefile',
    '.gitattributes',
    '.editorconfig',
    '.env',
    '.nvmrc',
    '.config/x',
    '.yarn/cache/x.zip',
    'Cargo.toml',
    'src/promise.toml',
    'lefthook/run.go',
  ])('GT-7: %s is not protected', async (path) => {
    expect(findProtectedName(path.split('/'))).toBeUndefined();
    expect(
      (await place.act('Write', { kind: 'edit', path: join(place.root, path) }, { mode: 'acceptEdits' })).behavior,
    ).toBe('allow');
  });

  it('GT-7: a link to a protected place is the protected place', async () => {
    await mkdir(join(place.root, '.claude', 'agents'), { recursive: true });
    await symlink('.claude/agents', join(place.root, 'helpers'));
    expect(
      (await place.act('Write', { kind: 'edit', path: join(place.root, 'helpers/a.md') }, { mode: 'acceptEdits' }))
        .behavior,
    ).toBe('ask');
    expect((await place.bash('cd helpers && touch a.md', { mode: 'acceptEdits' })).behavior).toBe('ask');
    expect((await place.bash('cd .claude && mkdir -p hooks', { mode: 'acceptEdits' })).behavior).toBe('ask');
  });
});

describe('GT-2 GT-6 the repo’s own programs', () => {
  it.each([
    [
      '[core]\n\tbare = false\n[remote "origin"]\n\turl = https://x/y\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n',
      undefined,
    ],
    ['[core]\n\tfsmonitor = ./x\n', 'core.fsmonitor'],
    ['[Core]\n FSMonitor=./x', 'core.fsmonitor'],
    ['[diff "x"]\n\ttextconv = ./x\n', 'diff.x.textconv'],
    ['[include]\n\tpath = ../x\n', 'include.path'],
    ['[core] fsmonitor = ./x\n', 'something unusual'],
    ['[core]\n\tbare = \\\n', 'something unusual'],
    ['[remote "o"]\n\turl = ext::sh\n', 'remote.o.url'],
    ['[filter "p"]\n\tclean = ./x\n', 'filter.p.clean'],
  ])('GT-2: %j', (config, found) => {
    const key = findProgramKey(config);
    if (found === undefined) expect(key).toBeUndefined();
    else expect(key).toContain(found);
  });

  it.each([
    ['[trailer "x"]\n\tcmd = ./evil\n', 'trailer.x.cmd'],
    ['[Trailer "x.y"]\n\tCommand = ./evil\n', 'trailer.x.y.command'],
    ['[trailer "x"] cmd = ./evil\n', 'something unusual'],
    ['[trailer "x"]\n\tcmd = ./evil \\\n', 'something unusual'],
    ['[hook "x"]\n\tcommand = ./evil\n\tevent = pre-commit\n', 'hook.x.command'],
    ['[include]\n\tpath = ../shared\n', 'include.path'],
    ['[trailer]\n\tifexists = replace\n', undefined],
    ['[alias]\n\tx = "!f() { a; }; f" \\\n b\n[core]\n\thooksPath = x\n', undefined],
  ])('GT-22 GT-26: what runs in spite of programs off, in a trusted repository: %j', async (config, found) => {
    await place.write('lasting/.git/config', config);
    const reading = readRepository(join(place.root, 'lasting'), nodeFiles.sync);
    const trust = { trusted: reading, isEditable: () => false };
    const program = findUntrustedProgram(reading, trust, 'off');
    if (found === undefined) expect(program).toBeUndefined();
    else expect(program).toContain(found);
    expect(findUntrustedProgram(reading, trust)).toBeUndefined();
  });

  it('GT-2: a repository inside the trusted one is checked separately', async () => {
    await place.write('vendor/x/.git/config', '[core]\n\tfsmonitor = ./evil\n');
    await place.write('vendor/bare/HEAD', 'ref: refs/heads/main\n');
    await place.write('vendor/bare/objects/x', '');
    await place.write('vendor/bare/config', '[core]\n\tfsmonitor = ./evil\n\tworktree = .\n');
    await place.write('vendor/clean/a', '');
    expect((await place.bash('git status')).behavior).toBe('allow');
    // What can be switched off is off where git only reads; what can't asks.
    expect(await place.bash('cd vendor/x && git status')).toMatchObject({ behavior: 'allow', run: { kind: 'proven' } });
    await place.write('vendor/y/.git/config', '[diff]\n\texternal = ./evil\n');
    expect((await place.bash('cd vendor/y && git status')).behavior).toBe('ask');
    expect((await place.bash('cd vendor/bare && git status')).behavior).toBe('ask');
    expect((await place.bash('cd vendor/clean && git status')).behavior).toBe('allow');
    expect(
      findUntrustedProgram(readRepository(join(place.root, 'vendor/x'), nodeFiles.sync), {
        trusted: undefined,
        isEditable: () => true,
      }),
    ).toContain('core.fsmonitor');
    expect((await place.bash('npm run', { trusted: false })).behavior).toBe('ask');
  });
});
