/** `# words`: a line for a file of instructions, or for memory. The person says which. */

import { stripUnsafe } from '../../../gate/permissions/strip-unsafe.js';
import { ListPage } from '../pages/list-page.js';
import type { Conversation } from './conversation.js';

const PLACES = [
  { where: 'project', name: 'this project', about: 'CLAUDE.md, shared with the team' },
  { where: 'local', name: 'this project, only me', about: 'CLAUDE.local.md' },
  { where: 'user', name: 'every project of mine', about: '~/.claude/CLAUDE.md' },
] as const;

export async function remember(conversation: Conversation, text: string): Promise<void> {
  void conversation;
  void text;
  void ListPage;
  void PLACES;
  void stripUnsafe;
}
