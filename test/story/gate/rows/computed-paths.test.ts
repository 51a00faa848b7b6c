/** Computed paths under a rule for every command reach nothing that is protected, in the main session and in a worktree (GT-34). */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BOX_WORKS } from '../../../program/gate/box/stage.js';
import { type Stage, setStage } from '../../../support/story.js';
import { begin, requestsOf, resultsIn, script } from '../../agents/agents-script.js';
import { fork } from '../../worktrees/worktree-gate-stage.js';
import { setRepository } from '../../worktrees/worktree-stage.js';
import { contentsOf, makeRepository, runLines } from './rows-stage.js';

/** Each would change something that no rule may skip. */
const IN_MAIN = [
  'd=.git; echo evil > $d/hooks/pre-commit',
  'p=$(printf .g; printf it); echo evil > "$p/hooks/post-checkout"',
  'cd .git && cd hooks && echo evil > pre-push',
  'f=.git/config; echo "[core]" >> $f',
  'git config core.hooksPath evil',
  'x=config; git config --file .git/$x core.pager evil; git config --local core.fsmonitor evil',
  'd=.claude; mkdir -p $d; echo {} > $d/settings.json',
  'for d in .cl*ude; do echo {} > $d/settings.json; done',
  'bash -c \'echo evil >> "$HOME/.bash""rc"\'',
  'h=~; echo evil >> $h/.profile',
  'printf "%s\\n" "$HOME/.bashrc" | xargs -I{} sh -c "echo evil >> {}"',
  'python3 -c \'import os; open(os.path.expanduser("~/.zshrc"), "w").write("evil")\'',
  'node -e \'require("fs").writeFileSync([".mcp", "json"].join("."), "{}")\'',
  'ln -s .git/hooks h; echo evil > h/pre-rebase',
  'find .git -name hooks -exec sh -c \'echo evil > "$1/commit-msg"\' _ {} \\;',
];

const state = (stage: Stage) => ({
  hooks: readdirSync(join(stage.folder, '.git', 'hooks')).sort(),
  project: contentsOf(stage.folder, ['.git/config', '.claude/settings.json', '.mcp.json']),
  home: contentsOf(stage.home, ['.bashrc', '.profile', '.zshrc', '.gitconfig']),
});

it.runIf(BOX_WORKS)(
  'GT-34: in the main session no spelling changes hooks, configuration, settings or start-up files',
  async () => {
    const stage = await setStage();
    await makeRepository(stage, { '.claude/settings.json': '{"model":"x"}' });
    await writeFile(join(stage.home, '.bashrc'), 'mine\n');
    const before = state(stage);
    const results = await runLines(stage, [...IN_MAIN, 'd=src; mkdir $d; touch $d/made'], {
      trust: true,
      allowedTools: ['Bash'],
    });
    expect(state(stage)).toEqual(before);
    // It is not that nothing runs: what is not protected is written.
    expect(results.at(-1)?.isError).toBe(false);
    expect(existsSync(join(stage.folder, 'src', 'made'))).toBe(true);
    const ran = results.filter(({ text }) => !text.startsWith('Permission denied'));
    expect(ran.length).toBeGreaterThan(5);
  },
);

it('GT-34: without a sandbox a computed path under such a rule asks', async () => {
  const stage = await setStage();
  await stage.settings({ confineReads: 'off' });
  await makeRepository(stage);
  const before = state(stage);
  const lines = IN_MAIN.filter((line) => !/^(?:bash|python3|node|find|printf)/.test(line));
  const results = await runLines(stage, lines, { trust: true, allowedTools: ['Bash'] });
  expect(
    results.map(({ text }, index) => (text.startsWith('Permission denied') ? '' : lines[index])).filter(Boolean),
  ).toEqual([]);
  expect(state(stage)).toEqual(before);
});

/** From a worktree: into the checkout it came from, its hooks, its configuration, and other refs. */
const IN_WORKTREE = [
  'x=..; touch $x/$x/$x/q',
  'cd `git rev-parse --git-common-dir`/..; touch q',
  'bash -c "cd ..; cd ..; cd ..; touch q"',
  'd=$(git rev-parse --git-common-dir); echo evil > $d/hooks/pre-commit',
  'git update-ref refs/heads/main HEAD~0^{commit}; git update-ref refs/heads/evil HEAD',
  'git fetch -u . HEAD:main',
  'git config core.hooksPath evil',
  'git branch -m main gone',
  'git branch -D other',
  'git tag evil',
  'git stash clear',
  'g=$(git rev-parse --git-common-dir); echo 0 > "$g/refs/heads/other"',
  'node -e \'require("fs").writeFileSync("../../../q", "x")\'',
  'p=$(dirname "$(git rev-parse --git-common-dir)"); rm -f "$p"/*.txt',
];

describe.runIf(BOX_WORKS)('from a worktree', () => {
  it('GT-34: no line writes into the main checkout, its hooks, configuration, stashes or other refs', async () => {
    const stage = await setRepository([]);
    const main = (...args: readonly string[]) =>
      execFileSync('git', args, { cwd: stage.folder, encoding: 'utf8', env: { ...process.env, HOME: stage.home } });
    main('branch', 'other');
    await writeFile(join(stage.folder, 'kept.txt'), 'kept\n');
    main('add', 'kept.txt');
    main('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'stash');
    await writeFile(join(stage.folder, 'mine.txt'), 'mine\n');
    const look = () => ({
      files: readdirSync(stage.folder).sort(),
      hooks: readdirSync(join(stage.folder, '.git/hooks')).sort(),
      config: readFileSync(join(stage.folder, '.git/config'), 'utf8').replace(/\[extensions\][^[]*/, ''),
      refs: main(
        'for-each-ref',
        '--format=%(refname) %(objectname)',
        'refs/heads/main',
        'refs/heads/other',
        'refs/heads/evil',
        'refs/tags',
        'refs/stash',
      ),
    });
    const before = look();
    const calls = [
      ...IN_WORKTREE,
      'd=.; touch $d/made && git add made && git commit -qm mine && git log -1 --format=%s',
    ];
    stage.sim.use(
      script({
        'DIRECTIVE 1': [...calls.map((command) => [{ tool: 'Bash', input: { command } }]), 'Scope: 1'],
        main: ['hello', [fork(1)], 'end'],
      }),
    );
    const session = await stage.open({ fork: 'on', trust: true, allowedTools: ['Bash'], maxTurns: 40 });
    await session.send(begin());
    await session.send('now');
    await session.settled();
    const after = look();
    expect({ ...after, files: after.files.filter((name) => name !== '.claude') }).toEqual(before);
    const results = requestsOf(stage.sim, 'DIRECTIVE 1')
      .flatMap((request) => resultsIn(request).slice(-1))
      .slice(1);
    expect(results.at(-1)?.text).toContain('mine');
    expect(existsSync(join(stage.folder, 'q'))).toBe(false);
  });
});
