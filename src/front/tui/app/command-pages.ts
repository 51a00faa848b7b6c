/** stub */
import type { Conversation } from './conversation.js';

export function commandPage(
  name: string,
  argument: string,
): ((conversation: Conversation, argument: string) => Promise<void>) | undefined {
  void name;
  void argument;
  return undefined;
}
