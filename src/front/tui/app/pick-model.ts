/** stub */
import type { Conversation } from './conversation.js';

export function pickModel(conversation: Conversation): void {
  conversation.ui.hint('not yet');
}
