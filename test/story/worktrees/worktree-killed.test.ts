/** kill -9 of the real program while a fork works in a worktree: the next one continues with both. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { gate } from '../../support/gate.js';
import { buildProgram, runProgram, startProgram } from '../../support/program.js';
import { until } from '../../support/until.js';
import { comparable, wireText } from '../../support/wire-body.js';
import { agentCall, begin, requestsOf, resultsIn, script } from '../agents/agents-script.js';
import { listedWorktrees, setRepository } from './worktree-stage.js';

beforeAll(buildProgram);

const DIRECTIVE = 'DIRECTIVE 1';
const fork = agentCall(`${DIRECTIVE} go`, { fork: true, isolation: 'worktree', description: 'a part' });
const bash = (command: string) => ({ tool: 'Bash', input: { command } });

it('DU-17, DU-18, WT-14: killed in the middle of a fork in a worktree: it continues there, its bytes the same, its work kept, no lock left', async () => {
  const held = gate();
  let asked = 0;
  const stage = await setRepository(
    script({
      [DIRECTIVE]: [
        [bash('pwd; touch mine')],
        async () => {
          asked += 1;
          await held.opened;
          return [bash('pwd; ls')];
        },
        [bash('pwd; ls')],
        'Scope: done',
      ],
      main: [['Look:', bash('echo hi')], [fork], 'Main goes on.'],
    }),
  );
  Object.assign(stage.env, { COPPICE_RESUME_AGENTS: 'auto' });
  const flags = ['--fork', 'on', '--allowedTools', 'Bash'];
  const first = startProgram(['-p', begin(), ...flags], stage.at);
  await until(() => asked === 1, 'the fork asked again');
  first.child.kill('SIGKILL');
  await first.ended;
  const [path = ''] = listedWorktrees(stage);
  expect(stage.git(['worktree', 'list', '--porcelain'])).toContain('locked coppice: in use by agent ');
  const end = await runProgram(['-p', 'and then?', '--continue', ...flags], stage.at);
  expect(end).toMatchObject({ code: 0, stdout: 'Main goes on.\n' });
  const requests = requestsOf(stage.sim, DIRECTIVE).filter((request) =>
    wireText(request).includes('You are a forked worker'),
  );
  const [, before, again, last] = requests;
  expect(comparable(again as never)).toBe(comparable(before as never));
  expect(resultsIn(last as never)[0]?.text).toBe(`${path}\na.txt\nmine`);
  expect(existsSync(join(path, 'mine'))).toBe(true);
  expect(wireText(stage.sim.requests.at(-1))).toContain(`worktree: ${path} (branch worktree-`);
  expect(stage.git(['worktree', 'list', '--porcelain'])).not.toContain('locked');
});
