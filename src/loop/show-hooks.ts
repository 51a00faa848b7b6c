/** What hooks had to say to the person, shown as it came. */

import type { HookVerdict } from '../gate/hooks/combine.js';
import type { Run } from './run.js';

export async function showHooks(run: Pick<Run, 'agent'>, verdict: HookVerdict): Promise<HookVerdict> {
  for (const { level, hook, text } of verdict.messages) {
    await run.agent.emit({ kind: 'line-shown', level, line: `${hook}: ${text}` });
  }
  return verdict;
}
