/** `/tasks`: the agent tree, full screen. */

import { performTreeAction } from '../actions/perform-tree-action.js';
import type { Conversation } from '../app/conversation.js';
import { TreePage } from '../pages/tree-page.js';
import { makePageHost } from './page-host.js';

export function openTasks(conversation: Conversation): void {
  const { ui, view, session, host } = conversation;
  ui.pages.open(
    new TreePage({
      view: () => view,
      theme: () => ui.theme,
      pageHost: makePageHost(ui, host),
      models: session.models,
      act: (action) => void performTreeAction(conversation, action),
    }),
  );
}
