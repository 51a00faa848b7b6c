/** Announces the start or end of plan mode to the main agent, in the history: the prefix stays unchanged. */

import type { Agent } from '../../loop/agent.js';
import { text } from '../../protocol/blocks.js';
import { freezeBlock } from '../../protocol/frozen-block.js';
import type { PermissionMode } from '../../protocol/permission.js';
import { reminder } from '../../protocol/tags.js';

export async function announceMode(agent: Agent, file: string): Promise<void> {
  const { mode } = agent.requester;
  const canExit = agent.epoch.tools.some((tool) => tool.name === 'ExitPlanMode');
  const announcement = mode === 'plan' ? planning(file, canExit) : ended(mode);
  const key = `mode after ${agent.state.lastSeq}`;
  const blocks = [freezeBlock(text(reminder(announcement)))];
  await agent.emit({ kind: 'input-admitted', origin: 'reminder', key, tells: { mode }, blocks });
}

function planning(file: string, canExit: boolean): string {
  const lines = [
    'The person wants a plan first: the session is in plan mode. Read, search and ask; change nothing, by no tool and no agent, whatever was allowed before. Calls that would change something are refused.',
    `The one file you may write is ${file}: keep the plan there as it grows.`,
  ];
  lines.push(
    canExit
      ? "When the plan is complete, call ExitPlanMode with it: that shows it to the person. Only their acceptance ends plan mode. To ask about the plan, call ExitPlanMode, don't ask in your reply."
      : 'When the plan is complete, give it as your answer. Only the person ends plan mode.',
  );
  return lines.join('\n');
}

function ended(mode: PermissionMode): string {
  return `Plan mode has ended. The session is now in the mode ${mode}${MEANINGS[mode] ?? ''}.`;
}

const MEANINGS: Partial<Record<PermissionMode, string>> = {
  default: ': what changes something is asked about',
  acceptEdits: ': edits of files in the working folders need no question',
  dontAsk: ': what would need a question is refused',
};
