/** The home as a root, and our own folders: nothing there that starts, signs in or allows is changed unasked (GT-7). */

import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePlayground, type Playground, type PolicyChanges } from './playground.js';

let ground: Playground;
beforeEach(async () => {
  ground = await makePlayground();
});
afterEach(() => ground.remove());

const edits = (path: string, changes: PolicyChanges) =>
  ground.act('Write', { kind: 'edit', path }, { mode: 'acceptEdits', allow: ['Edit'], ...changes });

describe('a root that is or holds the home', () => {
  const HIDDEN = [
    '.ssh/authorized_keys',
    '.config/git/config',
    '.gnupg/gpg.conf',
    '.local/share/applications/x.desktop',
    '.a-program-nobody-knows-yet/rc',
    '.netrc',
    '.coppice/trust.json',
    '.claude/settings.json',
  ];

  it.each(HIDDEN)('GT-7 ~/%s is asked for, in every mode and whatever a rule allows', (name) => {
    for (const roots of [[ground.home], [join(ground.home, '..')], ['/']]) {
      const decision = edits(join(ground.home, name), { roots });
      expect(decision).toMatchObject({ behavior: 'ask', firm: true });
      expect(edits(join(ground.home, name), { roots, allow: [`Edit(/${join(ground.home, name)})`] })).toMatchObject({
        behavior: 'ask',
        firm: true,
      });
    }
  });

  it('GT-7 the same from a command, by a link, and by another spelling', async () => {
    const { home } = ground;
    const roots = [home];
    await mkdir(join(home, '.ssh'));
    await mkdir(join(home, 'dotfiles'));
    await writeFile(join(home, 'dotfiles/zz'), '');
    await symlink('.ssh', join(home, 'keys'));
    await symlink('dotfiles/zz', join(home, '.zz'));
    for (const path of ['keys/authorized_keys', 'a/../.ssh/x', '.zz', '\u200b.ssh/x']) {
      expect(edits(`${home}/${path}`, { roots }), path).toMatchObject({ behavior: 'ask' });
    }
    const bash = ground.bash('echo x > .ssh/config', { cwd: home, roots, mode: 'acceptEdits', allow: ['Bash'] });
    expect(bash).toMatchObject({ behavior: 'ask' });
  });

  it('GT-7 folders of programs apply: a file there runs by its name', () => {
    const guarded = { own: [], programs: ['/usr/bin', join(ground.home, 'bin'), join(ground.home, 'go/bin')] };
    for (const name of ['bin/git', 'go/bin/gofmt']) {
      expect(edits(join(ground.home, name), { roots: [ground.home], guarded })).toMatchObject({ behavior: 'ask' });
    }
    expect(edits(join(ground.home, 'go/src/x.go'), { roots: [ground.home], guarded })).toMatchObject({
      behavior: 'allow',
    });
  });

  it('GT-7 everyday files of the home, and projects in hidden folders that are roots of their own, stay allowed', () => {
    for (const name of ['notes.md', 'src/project/.eslintrc', 'a.b/c']) {
      expect(edits(join(ground.home, name), { roots: [ground.home] }), name).toMatchObject({ behavior: 'allow' });
    }
    const inner = join(ground.home, '.config/nvim');
    expect(edits(join(inner, 'init.lua'), { roots: [inner] })).toMatchObject({ behavior: 'allow' });
    expect(edits(join(inner, 'init.lua'), { roots: [ground.home, inner] })).toMatchObject({ behavior: 'allow' });
    expect(edits(join(ground.root, '.eslintrc'), { roots: [ground.root] })).toMatchObject({ behavior: 'allow' });
  });
});

describe('our own state and the user’s settings', () => {
  it('GT-7 apply by their real path, whatever the root, and before they exist', async () => {
    const { root, outside } = ground;
    await symlink(outside, join(root, 'state-link'));
    const guarded = { own: [join(root, 'state-link/coppice'), join(root, 'config')], programs: [] };
    const roots = [root, outside];
    for (const path of [
      join(outside, 'coppice/trust.json'),
      join(root, 'state-link/coppice/projects/x.jsonl'),
      join(root, 'config/CLAUDE.md'),
      join(root, 'config'),
    ]) {
      expect(edits(path, { roots, guarded }), path).toMatchObject({ behavior: 'ask', firm: true });
    }
    expect(edits(join(root, 'configuration'), { roots, guarded })).toMatchObject({ behavior: 'allow' });
  });

  it('GT-7 reading them is what it was', () => {
    const guarded = { own: [join(ground.root, 'config')], programs: [] };
    expect(ground.act('Read', { kind: 'read', path: join(ground.root, 'config/x') }, { guarded })).toMatchObject({
      behavior: 'allow',
    });
  });
});
