/** stub */
import type { Conversation } from './conversation.js';

export function openAgent(conversation: Conversation, agent: string, how: 'read' | 'write'): void {
  conversation.ui.hint('not yet');
}
