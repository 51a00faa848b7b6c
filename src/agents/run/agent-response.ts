/** Describes a child that was started, or has ended, to hooks. */

import { text } from '../../protocol/blocks.js';
import type { AgentInput, AgentResponse, WorktreeResponse } from '../../protocol/tools/agent.js';
import { inputTokens } from '../../protocol/usage.js';
import type { AgentResult, WorktreeFacts } from './result.js';

/** Undefined for a failed child: its call has failed, too. */
export function agentResponse(input: AgentInput, result: AgentResult): AgentResponse | undefined {
  const { prompt, description = '' } = input;
  switch (result.status) {
    case 'failed':
      return undefined;
    case 'async_launched': {
      const { status, agentId, agentType, outputFile } = result;
      return { status, isAsync: true, agentId, agentType, description, prompt, outputFile, ...worktreeOf(result) };
    }
    case 'completed': {
      const { status, agentId, agentType, content, usage } = result;
      return {
        status,
        agentId,
        agentType,
        prompt,
        content: [text(content)],
        totalToolUseCount: result.toolUses,
        totalDurationMs: result.durationMs,
        totalTokens: inputTokens(usage) + usage.output,
        usage: {
          input_tokens: usage.input,
          output_tokens: usage.output,
          cache_read_input_tokens: usage.cacheRead,
          cache_creation_input_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
        },
        ...worktreeOf(result),
      };
    }
    default:
      return result satisfies never;
  }
}

function worktreeOf({ worktree }: { readonly worktree?: WorktreeFacts }): WorktreeResponse {
  if (worktree === undefined) return {};
  const { path, branch, usedSparsePaths } = worktree;
  return {
    worktreePath: path,
    ...(branch === '' ? {} : { worktreeBranch: branch }),
    ...(usedSparsePaths === undefined ? {} : { usedSparsePaths }),
  };
}
