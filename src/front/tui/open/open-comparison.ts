/** `/compare`: agents beside each other, on a page (TU-31). */

import { compareAgents } from '../../commands/agents/compare-command.js';
import type { Conversation } from '../app/conversation.js';
import { TextPage } from '../pages/text-page.js';
import { wrap } from '../screen/width.js';
import { pageDesk } from './page-desk.js';

export async function openComparison({ ui, session, host }: Conversation, argument: string): Promise<void> {
  const lines: string[] = [];
  await compareAgents({ session, say: (line) => void lines.push(...line.split('\n')) }, argument);
  const rows = (width: number) => lines.flatMap((line) => wrap(line, width));
  ui.pages.open(new TextPage({ title: 'Comparison', rows, theme: ui.theme, desk: pageDesk(ui, host) }));
}
