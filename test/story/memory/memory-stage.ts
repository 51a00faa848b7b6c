/** A story's stage with an agent that has a memory: how its definition looks as people have it, and what it does. */

import { join } from 'node:path';
import type { Line } from '../agents/agents-script.js';
import { agentCall, begin, requestOf, resultsIn, script, systemOf } from '../agents/agents-script.js';
import { type RepositoryStage, setRepository } from '../worktrees/worktree-stage.js';

export const TASK = 'TASK alpha';

/** An agent file. */
export function reviewer(fields: Readonly<Record<string, string>> = {}): string {
  const all = { name: 'reviewer', description: 'reviews changes', memory: 'project', ...fields };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `---\n${lines.join('\n')}\n---\n\nReview what you are given.\n`;
}

/** A repository with the agent, which says these lines when the main agent starts it, once per prompt. */
export async function setReviewer(
  lines: readonly Line[],
  fields: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<RepositoryStage> {
  const rounds = [1, 2, 3].flatMap(() => [[agentCall(TASK, { subagent_type: 'reviewer' })], 'Done.']);
  return setRepository(script({ main: rounds, [TASK]: lines }), {
    'a.txt': 'one\n',
    '.claude/agents/reviewer.md': reviewer(fields),
    ...files,
  });
}

export const write = (file_path: string, content: string) => ({ tool: 'Write', input: { file_path, content } });
export const read = (file_path: string) => ({ tool: 'Read', input: { file_path } });
export const bash = (command: string) => ({ tool: 'Bash', input: { command } });

/** What the agent's first request says of its memory. */
export function memoryOf(stage: RepositoryStage, nth = 1): string {
  return systemOf(requestOf(stage.sim, TASK, nth)).split('# Memory\n')[1] ?? '';
}

/** What came back for its n-th reply. */
export function resultOf(stage: RepositoryStage, nth = 1) {
  const [result] = resultsIn(requestOf(stage.sim, TASK, nth + 1));
  if (result === undefined) throw new Error(`no result ${nth}\n${stage.sim.report()}`);
  return result;
}

export const projectMemory = (stage: RepositoryStage, ...names: readonly string[]) =>
  join(stage.folder, '.claude', 'agent-memory', 'reviewer', ...names);
export const localMemory = (stage: RepositoryStage, ...names: readonly string[]) =>
  join(stage.folder, '.claude', 'agent-memory-local', 'reviewer', ...names);
export const userMemory = (stage: RepositoryStage, ...names: readonly string[]) =>
  join(stage.home, '.claude', 'agent-memory', 'reviewer', ...names);

export { agentCall, begin };
