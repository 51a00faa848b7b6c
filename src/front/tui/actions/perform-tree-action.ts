/** Performs the tree's key actions on an agent or background command (TU-8). */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import type { Result } from '../../../protocol/result.js';
import { agentLabel } from '../../view/tree/agent-label.js';
import type { Conversation } from '../app/conversation.js';
import { openAgent } from '../open/open-agent.js';
import type { TreeAction } from '../panels/tree-keys.js';

export async function performTreeAction(conversation: Conversation, action: TreeAction): Promise<void> {
  const { ui, session } = conversation;
  switch (action.kind) {
    case 'leave':
      return;
    case 'view':
      return openAgent(conversation, action.agent, 'read');
    case 'write':
      return openAgent(conversation, action.agent, 'write');
    case 'stop':
      return showResult(
        conversation,
        action.agent,
        'stopped',
        await session.execute({ type: 'stop-task', task: action.agent }),
      );
    case 'background': {
      const { moved } = await session.execute({ type: 'to-background', agent: action.agent });
      return ui.hint(
        moved > 0 ? `moved ${nameOf(conversation, action.agent)} to the background` : 'no call is waiting for it',
      );
    }
    case 'resume':
      return showResult(
        conversation,
        action.agent,
        'resumed',
        await session.execute({ type: 'resume-agent', agent: action.agent }),
      );
    case 'diff':
      return conversation.typed.run(`/diff ${action.agent}`);
    case 'apply':
      return conversation.typed.run(`/apply ${action.agent}`);
    case 'compare':
      return conversation.typed.run(`/compare ${action.agents.join(' ')}`);
    default:
      return action satisfies never;
  }
}

function showResult(conversation: Conversation, agent: string, what: string, done: Result): void {
  const name = nameOf(conversation, agent);
  conversation.ui.hint(stripControls(done.ok ? `${name}: ${what}` : `${name}: ${done.reason}`));
}

function nameOf({ view }: Conversation, id: string): string {
  const agent = view.agents.get(id);
  return agent === undefined ? id : agentLabel(agent);
}
