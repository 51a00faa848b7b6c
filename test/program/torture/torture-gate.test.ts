/** A sample of `npm run torture:gate`: generated lines, those that once escaped, and what an open gate would let through. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../support/scratch.js';
import { canRecord, FOUND, torture } from './torture-gate-stage.js';

describe.runIf(canRecord)('lines that only read', () => {
  it.each(['on', 'off'])(
    'GT-25: with confinement %s, none of the lines that once escaped does so again',
    async (confine) => {
      const { stdout, stderr, code } = await torture('--lines', FOUND, '--confine', confine);
      expect(code, `${stderr}\n${stdout}`).toBe(0);
    },
  );

  it('GT-25: the recorder tells files, reads, programs, connections, pipes and sockets', async () => {
    const effects: readonly (readonly [line: string, effect: string])[] = [
      ['echo x > out', 'made @/out'],
      ['rm README.md', 'removed @/README.md'],
      ['chmod 600 README.md', 'changed @/README.md'],
      ['echo x >> ~/.bashrc', 'changed '],
      ['cat ../elsewhere/secret.txt', 'canary of outside'],
      ['tr a-z n-za-m < ../elsewhere/secret.txt', 'read '],
      ['cat .env | rev', 'canary of env'],
      ['ls ~/.ssh', 'listed '],
      ['cat /etc/passwd', 'read /etc/passwd'],
      ['base64 /etc/shadow', 'read /etc/shadow'],
      ['echo "$ANTHROPIC_API_KEY"', 'canary of key'],
      ['./evil.sh', 'evil.sh'],
      ['touch /tmp/x', 'started /usr/bin/touch'],
      ['echo x > /dev/tcp/127.0.0.1/@port@', 'used: tcp'],
      ['echo x > /dev/udp/127.0.0.1/@port@', 'connected'],
      ['echo x > fifo', 'FIFO written'],
      ['perl -MSocket -e \'socket(S,1,1,0); connect(S,sockaddr_un("socket"))\'', 'used: unix socket'],
      ['echo x > >(cat > out)', 'made @/out'],
      ['( sleep 0.01; echo x > out ) &', 'made @/out'],
    ];
    await expectEffects(effects.map(([line, effect]) => ({ line, effect })));
  });

  it('GT-23: the recorder tells what an environment made of a line, and what it shows of other processes', async () => {
    await expectEffects([
      { line: 'df', environment: 'path link', effect: 'home/tools/df' },
      { line: 'ls', environment: 'linked programs', effect: 'home/bin/ls' },
      { line: 'ls', environment: 'path inside', effect: 'started @/tools/ls' },
      { line: 'node --version', environment: 'shims', trusted: false, effect: 'canary of shim' },
      { line: 'ls', environment: 'functions', effect: 'planted: function-ls' },
      { line: 'ls', environment: 'bash start', effect: 'planted: bash-start' },
      { line: 'ls', environment: 'traced', effect: 'planted: ps4' },
      { line: 'cd keys && cat id', environment: 'cdpath', effect: 'canary of outside' },
      { line: 'cat docs/copy.md', hardLink: true, effect: 'canary of env' },
      { line: 'ps axeww', effect: 'canary of environment' },
      { line: 'git config --global --list', effect: 'canary of token' },
    ]);
    // Where there is a box, it also tells what did not run in it.
    await expectEffects(
      [
        { line: 'ls', effect: 'ran outside the box' },
        { line: 'ps -ef', effect: 'canary of arguments' },
      ],
      'on',
    );
  });

  it('GT-34, GT-36: the recorder tells what a rule and file commands must leave alone, and nothing else', async () => {
    const ruled = { allow: ['Bash'] };
    const inWorktree = { ...ruled, worktree: true };
    const edits = { mode: 'acceptEdits' };
    await expectEffects([
      { line: 'echo x > .git/hooks/post-merge', ...ruled, effect: 'made @/.git/hooks/post-merge' },
      { line: 'git config x.y z', ...ruled, effect: 'changed @/.git/config' },
      { line: 'echo {} > .claude/settings.json', ...ruled, effect: 'changed @/.claude/settings.json' },
      { line: 'echo x >> ~/.bashrc', ...ruled, effect: '/home/.bashrc' },
      { line: 'cat .env', ...ruled, effect: 'canary of env' },
      { line: 'env', ...ruled, effect: 'canary of key' },
      { line: 'factor 6', ...ruled, forbids: true, effect: 'which a rule denies' },
      { line: 'git add README.md', ...ruled, trusted: false, effect: 'of a repository that is not trusted' },
      { line: 'touch ../../../q', ...inWorktree, effect: 'made @/q' },
      { line: 'git branch -D other', ...inWorktree, effect: 'changed the ref refs/heads/other' },
      { line: 'git stash clear', ...inWorktree, effect: 'changed the ref refs/stash' },
      { line: 'rm -rf src; touch ~/new ../elsewhere/new; cat ~/notes.txt', ...ruled, effect: '' },
      { line: 'git commit -q --allow-empty -m x; git pack-refs --all', ...inWorktree, effect: '' },
      { line: 'touch locked/a', ...edits, effect: 'changed @/locked/a' },
      { line: 'touch .envrc', ...edits, effect: 'made @/.envrc' },
      { line: 'ln -s ../elsewhere l; touch l/new', ...edits, effect: '/elsewhere/new' },
      { line: 'cp README.md src/new.ts; rm names.txt; mkdir -p q; chmod 600 list.txt', ...edits, effect: '' },
    ]);
  });

  it('GT-25: the seed of a line gives the same line again', async () => {
    const [first, again] = await Promise.all(
      ['3', '1'].map((count) => torture(count, '--seed', count === '3' ? '80' : '82', '--gate', 'open', '--keep')),
    );
    const third = told(first?.stderr ?? '').at(-1);
    expect(third).toContain('"seed":82');
    expect(told(again?.stderr ?? '')).toEqual([third]);
  });
});

type Row = { readonly line: string; readonly effect: string; readonly [around: string]: unknown };

/** Each line behind an open gate: its effect is told. Empty: nothing is told of it. */
async function expectEffects(rows: readonly Row[], confine = 'off'): Promise<void> {
  const file = join(await scratchFolder(), 'lines.jsonl');
  await writeFile(file, rows.map(({ effect: _, ...line }) => `${JSON.stringify(line)}\n`).join(''));
  const { stderr } = await torture('--lines', file, '--confine', confine, '--gate', 'open');
  const escaped = stderr.split(/^seed (?=\d+ escaped)/m).slice(1);
  for (const [index, { line, effect }] of rows.entries()) {
    const own = escaped.find((text) => text.startsWith(`${index} `));
    if (effect === '') expect(own, line).toBeUndefined();
    else expect(own?.replaceAll(/\/tmp\/torture-gate-\w+\/project/g, '@'), line).toContain(effect);
  }
}

/** Of `--keep`: what does not differ between runs. */
function told(stderr: string): string[] {
  const kept = stderr.split('\n').filter((row) => row.startsWith('{'));
  const texts = kept.map((row) => JSON.parse(row) as { seed: number; text: string });
  return texts
    .sort((a, b) => a.seed - b.seed)
    .map(({ seed, text }) => JSON.stringify({ seed, text: text.replaceAll(/torture-gate-\w+/g, '') }));
}
