/** stub */
import type { Conversation } from './conversation.js';

export function openKeys(conversation: Conversation): void {
  conversation.ui.hint('not yet');
}
