/** Opens an agent: its live transcript, its question, a line to write to it, taking it over (TU-9 to TU-11). */

import { MAIN_AGENT } from '../../../protocol/events.js';
import type { AgentView } from '../../view/agent-view.js';
import { ItemFold } from '../../view/items/item-fold.js';
import { agentLabel } from '../../view/tree/agent-label.js';
import type { Conversation } from '../app/conversation.js';
import { TranscriptPage } from '../pages/transcript-page.js';
import { itemRows } from '../parts/item-rows.js';
import { AgentFoot } from './agent-foot.js';
import { makePageHost } from './page-host.js';

export function openAgent(conversation: Conversation, id: string, how: 'read' | 'write'): void {
  const { ui, session, view, host } = conversation;
  const agent = view.agents.get(id);
  const shell = view.shells.get(id);
  if (agent === undefined && shell !== undefined) return void openShell(conversation, id);
  if (agent === undefined && id !== MAIN_AGENT) return void ui.hint('not started yet');
  const foot = new AgentFoot(conversation, id, how);
  const page = new TranscriptPage({
    reader: session.transcriptOf(id),
    newFold: () => new ItemFold(),
    rowsOf: (item, width) => itemRows(item, { width, theme: ui.theme, cwd: session.cwd, whole: true }),
    head: () => headOf(conversation, view.agents.get(id) ?? agent),
    foot: (width, most, now) => foot.frame(width, most, now),
    take: (press) => foot.press(press),
    asks: () => foot.asks,
    hints: () => foot.hints(),
    onClosed: session.watch(({ agent: of }) => {
      if (of === id) page.refresh();
    }),
    theme: ui.theme,
    pageHost: makePageHost(ui, host),
  });
  ui.pages.open(page);
}

function headOf({ session }: Conversation, agent: AgentView | undefined) {
  const snapshot = session.snapshot().find(({ id }) => id === agent?.id);
  if (agent === undefined || snapshot === undefined) return { name: 'main', directive: '' };
  return {
    name: agent.id === MAIN_AGENT ? 'main' : agentLabel(agent),
    directive: agent.description,
    type: agent.type,
    model: agent.model,
    worktree: agent.worktree?.branch,
    costUsd: snapshot.costUsd,
    cacheShare: snapshot.cacheShare,
  };
}

/** Opens the output of a background command. */
async function openShell({ ui, session, host, view }: Conversation, id: string): Promise<void> {
  const [{ TextPage }, { stripControls, stripToLine }, { wrap }, found] = await Promise.all([
    import('../pages/text-page.js'),
    import('../../../gate/permissions/strip-controls.js'),
    import('../screen/width.js'),
    session.execute({ type: 'task-output', task: id }),
  ]);
  const text = found.ok ? found.output : found.reason;
  const rows = (width: number) =>
    stripControls(text)
      .split('\n')
      .flatMap((line) => wrap(line, width));
  const title = stripToLine(view.shells.get(id)?.command ?? id);
  ui.pages.open(new TextPage({ title, rows, theme: ui.theme, pageHost: makePageHost(ui, host) }));
}
