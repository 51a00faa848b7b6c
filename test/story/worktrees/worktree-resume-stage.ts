import { join } from 'node:path';
import { gate } from '../../support/gate.js';
import { eventsOf } from '../../support/story.js';
import { until } from '../../support/until.js';
import { agentCall, begin, requestsOf, script } from '../agents/agents-script.js';
import { callResults } from '../background/background-stage.js';
import { type RepositoryStage, setRepository, worktreeOf } from './worktree-stage.js';

export const TASK = 'TASK alpha';

export const apart = (more: object = {}) => agentCall(TASK, { isolation: 'worktree', description: 'a part', ...more });

export const bash = (command: string) => ({ tool: 'Bash', input: { command } });

export const BASH = { allowedTools: ['Bash'] };

export const recordFile = (stage: RepositoryStage) =>
  join(stage.folder, '.git', 'coppice', 'worktrees', `${worktreeOf(stage).name}.json`);

/** A session that was left while its background child, in a worktree with its own file, was running. */
export async function leftStage(last: readonly unknown[] = [[bash('pwd; ls')], 'Worked.']) {
  const held = gate();
  const stage = await setRepository(
    script({
      [TASK]: [
        [bash('touch mine')],
        async () => {
          await held.opened;
          return 'never heard';
        },
        ...(last as never[]),
      ],
      main: [[apart({ run_in_background: true })], 'Waiting.'],
    }),
  );
  const session = await stage.open(BASH);
  await session.send(begin());
  await until(() => requestsOf(stage.sim, TASK).length === 2, 'the child asked again');
  await session.close();
  const worktree = worktreeOf(stage);
  const agent = eventsOf(stage, 'agent-spawned')[0]?.agent ?? '';
  return { stage, session, worktree, agent };
}

export async function goOn(stage: RepositoryStage, resume: string, agent: string) {
  const again = await stage.open({ ...BASH, resume });
  const refusal = await again.resumeAgent(agent);
  await again.settled();
  return { again, refusal };
}

export const lastBash = (stage: RepositoryStage) => callResults(stage, 'Bash').at(-1);
