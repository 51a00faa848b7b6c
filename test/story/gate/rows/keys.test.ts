/** What a command is given of our environment: none of our keys, and nothing that steers a shell, a loader or git (GT-23). */

import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BOX_WORKS } from '../../../program/gate/box/stage.js';
import { setStage } from '../../../support/story.js';
import { begin, requestsOf, resultsIn, script } from '../../agents/agents-script.js';
import { fork } from '../../worktrees/worktree-gate-stage.js';
import { setRepository } from '../../worktrees/worktree-stage.js';
import { CANARY, runLines } from './rows-stage.js';

const KEYS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_CUSTOM_HEADERS', 'CLAUDE_CODE_OAUTH_TOKEN'];
const PRINT = 'node -e \'for (const [n, v] of Object.entries(process.env)) console.log(n + "=" + v)\'';

describe.each(BOX_WORKS ? ['auto', 'off'] : ['off'])('confineReads %s', (confineReads) => {
  it('GT-23: no key of ours reaches a command, by a rule or by a person’s word', async () => {
    for (const by of ['rule', 'person'] as const) {
      const stage = await setStage();
      await stage.settings({ confineReads });
      // The header is sent with each request, so it must be one.
      const secrets = Object.fromEntries(
        KEYS.map((name) => [name, name.endsWith('HEADERS') ? `x-a: ${CANARY}` : CANARY]),
      );
      const env = { ...stage.env, ...secrets, PLAIN: 'stays' };
      const given =
        by === 'rule'
          ? { allowedTools: ['Bash(node:*)'] }
          : { onPermission: async () => ({ behavior: 'allow' as const }) };
      const [result] = await runLines(stage, [PRINT], { env, trust: true, ...given });
      expect(result?.text).toContain('PLAIN=stays');
      expect(result?.text).not.toContain(CANARY);
    }
  });

  it('GT-23: exported functions, BASH_ENV, PS4, loaders and variables of git don’t steer what runs', async () => {
    const stage = await setStage();
    await stage.settings({ confineReads });
    const trace = join(stage.home, 'trace');
    const planted = join(stage.home, 'planted.sh');
    await writeFile(planted, `: > ${trace}\n`);
    await writeFile(join(stage.home, 'planted.cjs'), `require('fs').writeFileSync(${JSON.stringify(trace)}, '')\n`);
    const env = {
      ...stage.env,
      'BASH_FUNC_ls%%': `() { : > ${trace}; }`,
      BASH_ENV: planted,
      ENV: planted,
      PROMPT_COMMAND: `: > ${trace}`,
      SHELLOPTS: 'xtrace',
      PS4: `$(: > ${trace})`,
      NODE_OPTIONS: `--require ${join(stage.home, 'planted.cjs')}`,
      GIT_EXTERNAL_DIFF: `sh ${planted}`,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: `sh ${planted}`,
    };
    execFileSync('git', ['init', '-q', stage.folder]);
    await stage.write('a.txt', 'a\n');
    execFileSync('git', ['add', '.'], { cwd: stage.folder });
    await stage.write('a.txt', 'b\n');
    // Each of these leaves the trace where nothing is removed.
    for (const [file, ...args] of [
      ['bash', '-c', 'true'],
      ['node', '-p', '1'],
      ['git', 'diff'],
      ['git', 'status'],
    ] as const) {
      execFileSync(file, args, { cwd: stage.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
      expect(existsSync(trace), file).toBe(true);
      rmSync(trace);
    }
    const lines = ['ls', 'git status --short', 'git diff', 'sh -c ls', 'node --version'];
    const results = await runLines(stage, lines, { env, trust: true, allowedTools: ['Bash(sh:*)'] });
    expect(results.map(({ isError }) => isError)).toEqual(lines.map(() => false));
    expect(results[2]?.text).toContain('+b');
    expect(existsSync(trace)).toBe(false);
  });
});

it('GT-22, GT-26: a repository’s trailer command does not run for a commit in a worktree', async () => {
  const stage = await setRepository([]);
  const trace = join(stage.home, 'trace');
  stage.git(['config', 'trailer.sign.key', 'Signed']);
  stage.git(['config', 'trailer.sign.cmd', `touch ${trace}; echo x`]);
  const line = 'git commit --allow-empty -qm mine --trailer sign=1 && git log -1 --format=%s';
  stage.git(['-c', 'user.name=a', 'commit', '--allow-empty', '-qm', 'x', '--trailer', 'sign=1']);
  expect(existsSync(trace)).toBe(true);
  rmSync(trace);
  stage.sim.use(
    script({
      'DIRECTIVE 1': [
        [{ tool: 'Bash', input: { command: line } }],
        [{ tool: 'Bash', input: { command: 'git commit --allow-empty -qm plain && git log -1 --format=%s' } }],
        'Scope: 1',
      ],
      main: ['hello', [fork(1)], 'end'],
    }),
  );
  const session = await stage.open({ fork: 'on' });
  await session.send(begin());
  await session.send('now');
  await session.settled();
  expect(existsSync(trace)).toBe(false);
  const last = requestsOf(stage.sim, 'DIRECTIVE 1').at(-1);
  expect(last && resultsIn(last).at(-1)?.text).toContain('plain');
});
