/** `/diff`: uncommitted changes, or an agent's changes in its worktree, on a page (WT-12). */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { findTask } from '../../commands/agents/agent-commands.js';
import type { Conversation } from '../app/conversation.js';
import { TextPage } from '../pages/text-page.js';
import { patchRows } from '../parts/patch-rows.js';
import { makePageHost } from './page-host.js';

export async function openDiff(conversation: Conversation, argument: string): Promise<void> {
  const { ui, session, host } = conversation;
  const wanted = argument === '' ? '' : findTask(session, argument);
  const found = await session.execute({ type: 'diff', ...(wanted === '' ? {} : { worktree: wanted }) });
  if (!found.ok) return ui.hint(stripControls(found.reason), 6_000);
  const whose = found.name === undefined ? 'here' : `in ${stripControls(found.name)}`;
  if (found.diff === '') return ui.hint(`no changes ${whose}`);
  const pageHost = makePageHost(ui, host);
  const apply = () => {
    pageHost.close();
    conversation.typed.run(`/apply ${wanted}`);
  };
  ui.pages.open(
    new TextPage({
      title: `Changes ${whose}`,
      rows: (width) => patchRows(found.diff, { width, theme: ui.theme }),
      text: () => stripControls(found.diff),
      ...(found.name === undefined ? {} : { keys: { A: { does: 'apply', act: apply } } }),
      theme: ui.theme,
      pageHost,
    }),
  );
}
