/** `/tasks`: the tree of agents over the whole screen. */

import { performTree } from '../actions/tree-deeds.js';
import type { Conversation } from '../app/conversation.js';
import { TreePage } from '../pages/tree-page.js';
import { pageDesk } from './page-desk.js';

export function openTasks(conversation: Conversation): void {
  const { ui, view, session, host } = conversation;
  ui.pages.open(
    new TreePage({
      view: () => view,
      theme: () => ui.theme,
      desk: pageDesk(ui, host),
      models: session.models,
      act: (action) => void performTree(conversation, action),
    }),
  );
}
