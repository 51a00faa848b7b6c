/** What a deny rule hides does not come back through git's store within the same line (GT-33). */

import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { BOX_WORKS } from '../../../program/gate/box/stage.js';
import { setStage } from '../../../support/story.js';
import { CANARY, git, makeRepository, runLines } from './rows-stage.js';

const LINES = [
  'git add -A && git diff --cached',
  'git add -A && git status -v',
  'git add -A && git commit -v -qm x && git show',
  'git stash -u && git show stash@{0}^3',
  'git add -A && git grep --cached -h .',
  'git stash -a && git stash show -p --include-untracked',
  'git stash -u && git log -p --all',
  'git add .; git diff --staged',
  'git add .env && git show :.env',
  'git commit -qam x; git log -p -1',
];
const RULES = ['Bash(git add:*)', 'Bash(git commit:*)', 'Bash(git stash:*)'];

async function setDenied(confineReads: string) {
  const stage = await setStage();
  await stage.settings({ confineReads });
  await makeRepository(stage);
  await stage.write('.env', `${CANARY}\n`);
  await stage.write('new.txt', 'new\n');
  return stage;
}

describe.each(BOX_WORKS ? ['auto', 'off'] : ['off'])('confineReads %s', (confineReads) => {
  it.each([RULES, ['Bash(git:*)']])(
    'GT-33: with %s allowed no line prints the denied file',
    async (...allowedTools) => {
      const stage = await setDenied(confineReads);
      const disallowedTools = ['Read(.env)'];
      const results = await runLines(stage, LINES, { trust: true, allowedTools, disallowedTools });
      const shown = results.flatMap(({ text }, index) => (text.includes(CANARY) ? [LINES[index]] : []));
      expect(shown).toEqual([]);
    },
  );

  it('GT-33: as two calls it is no different; in the sandbox what is not denied is shown', async () => {
    const stage = await setDenied(confineReads);
    const lines = ['git add -A', 'git diff --cached', 'git add new.txt && git diff --cached -- new.txt'];
    const options = { trust: true, allowedTools: RULES, disallowedTools: ['Read(.env)'] };
    const results = await runLines(stage, lines, options);
    expect(results.filter(({ text }) => text.includes(CANARY))).toEqual([]);
    // Where denied files are hidden from git add too, nothing stands against it.
    if (confineReads === 'auto')
      expect(results[2]).toMatchObject({ isError: false, text: expect.stringContaining('+new') });
  });
});

it('GT-33: the lines are about something: each prints the file where no rule denies it', async () => {
  for (const line of LINES.filter((one) => !one.startsWith('git commit -qam'))) {
    const stage = await setDenied('off');
    const output = execFileSync('bash', ['-c', line], {
      cwd: stage.folder,
      env: { ...stage.env, GIT_PAGER: 'cat', GIT_EDITOR: 'true' },
      encoding: 'utf8',
      stdio: 'pipe',
    });
    expect(output, line).toContain(CANARY);
    expect(git(stage, 'rev-parse', '--is-inside-work-tree')).toBe('true\n');
  }
});
