/** What the tests of memory.test.ts share with those of test:long. */

import { runProgram } from '../../../support/program.js';
import { setMemoryStage } from '../../../unit/features/memory/memory-stage.js';

export const LOCAL = '.claude/agent-memory-local';

export async function setStage() {
  const stage = await setMemoryStage();
  const at = (cwd = stage.folder) => ({ cwd, env: stage.env });
  const run = (...args: readonly string[]) => runProgram(['memory', ...args], at());
  return { ...stage, at, run, trust: () => runProgram(['trust'], at()) };
}
