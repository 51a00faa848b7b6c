/** stub */
import type { Conversation } from './conversation.js';

export function openRewind(conversation: Conversation): void {
  conversation.ui.hint('not yet');
}
