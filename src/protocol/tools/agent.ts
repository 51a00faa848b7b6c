/** Agent, as every surface knows it. */

import type { ResultContent } from '../blocks.js';
import type { FactsAbout } from './tool-facts.js';

export const agentFacts: FactsAbout<'Agent', AgentInput, AgentResponse> = {
  name: 'Agent',
  aliases: ['Task'],
  kind: 'think',
  effect: 'anything',
  rule: { matches: 'agent', covers: ['spawn'] },
  coordinates: true,
  waitsFor: 'task',
  main: ['description', 'prompt'],
  summary: ({ text, firstLine, value }) => {
    const kind = text('name') || text('subagent_type') || (value('fork') === true ? 'fork' : '');
    return [kind, firstLine(text('description') ? 'description' : 'prompt')].filter((part) => part !== '').join(': ');
  },
  result: 'prose',
  linesForUser: reportLines,
};

/** Of a report without what follows it for the model; nothing of an agent in the background: the tree shows both. */
function reportLines(lines: readonly string[], isError: boolean): readonly string[] {
  if (!isError && / in the background/.test(lines[0] ?? '')) return [];
  const end = lines.findLastIndex((line) => line.startsWith('agentId: '));
  return end === -1 ? lines : lines.slice(0, end);
}

export type AgentInput = {
  readonly prompt: string;
  readonly description?: string | undefined;
  readonly subagent_type?: string | undefined;
  readonly fork?: boolean | undefined;
  readonly model?: string | undefined;
  readonly run_in_background?: boolean | undefined;
  readonly isolation?: 'worktree' | undefined;
  readonly name?: string | undefined;
  readonly cwd?: string | undefined;
  readonly max_turns?: number | undefined;
  readonly max_usd?: number | undefined;
};

/** Where a child works, or has worked, that has a worktree of its own. */
export type WorktreeResponse = {
  readonly worktreePath?: string;
  readonly worktreeBranch?: string;
  /** Only these were checked out. */
  readonly usedSparsePaths?: readonly string[];
};

export type AgentResponse =
  | (WorktreeResponse & {
      readonly status: 'completed';
      readonly agentId: string;
      readonly agentType: string;
      readonly prompt: string;
      readonly content: readonly ResultContent[];
      readonly totalToolUseCount: number;
      readonly totalDurationMs: number;
      readonly totalTokens: number;
      readonly usage: {
        readonly input_tokens: number;
        readonly output_tokens: number;
        readonly cache_read_input_tokens: number;
        readonly cache_creation_input_tokens: number;
      };
    })
  | (WorktreeResponse & {
      readonly status: 'async_launched';
      readonly isAsync: true;
      readonly agentId: string;
      readonly agentType: string;
      readonly description: string;
      readonly prompt: string;
      readonly outputFile: string;
    });
