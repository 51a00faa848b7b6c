/** What the tests of worktree-gate.test.ts share with those of test:long. */

import type { PermissionQuestion } from '../../../src/protocol/permission.js';
import { agentCall } from '../agents/agents-script.js';

export const bash = (command: string) => ({ tool: 'Bash', input: { command } });

export const write = (path: string, content: string) => ({ tool: 'Write', input: { file_path: path, content } });

export const fork = (n: number) => agentCall(`DIRECTIVE ${n} go`, { fork: true, isolation: 'worktree' });

/** Every question is noted and denied. */
export function denying() {
  const questions: PermissionQuestion[] = [];
  const onPermission = async (question: PermissionQuestion) => {
    questions.push(question);
    return { behavior: 'deny' as const };
  };
  return { questions, onPermission };
}
