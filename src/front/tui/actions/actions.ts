/** The action of each editor key, other than editing (the table in docs/terminal.md). */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import { plural } from '../../../protocol/format-numbers.js';
import type { PermissionMode } from '../../../protocol/permission.js';
import { describeMoved, NOTHING_TO_MOVE } from '../../commands/moved-agents.js';
import { type Conversation, isActiveChild, isWorking, mainOf } from '../app/conversation.js';
import type { Action } from '../input/bindings/actions.js';
import { openAgent } from '../open/open-agent.js';
import { pickModel } from '../open/pick-model.js';
import { editDraft } from './edit-draft.js';
import { confirmExit, pressInterrupt } from './interrupt.js';
import { TWICE_MS } from './interrupt-keys.js';
import { submit } from './submit.js';
import { withdrawLastMessage } from './take-back.js';

type Act = (conversation: Conversation) => void;

export const ACTIONS: Readonly<Partial<Record<Action, Act>>> = {
  'chat:submit': (conversation) => {
    if (!conversation.ui.editor.breakAtBackslash()) submit(conversation, 'next');
  },
  'chat:tab': (conversation) => {
    if (isWorking(conversation) && !conversation.ui.editor.isEmpty) submit(conversation, 'after');
  },
  'chat:cancel': (conversation) => pressInterrupt(conversation, 'esc'),
  'app:interrupt': (conversation) => pressInterrupt(conversation, 'ctrl+c'),
  'app:exit': (conversation) => {
    if (conversation.ui.editor.isEmpty) confirmExit(conversation, conversation.ui.keymap.keyOf('app:exit'));
    else conversation.ui.editor.act('deleteRight');
  },
  'app:redraw': ({ ui }) => ui.screen.redraw(),
  'app:suspend': ({ ui }) => ui.screen.suspend(),
  'app:toggleTranscript': (conversation) => openAgent(conversation, MAIN_AGENT, 'read'),
  'app:toggleTodos': (conversation) => {
    const { shown, tree } = conversation;
    shown.todos = !shown.todos;
    if (hasTasks(conversation)) tree.focus();
  },
  'history:previous': (conversation) => {
    const { ui, history } = conversation;
    if (ui.editor.isEmpty && queueLength(conversation) > 0) return void withdrawLastMessage(conversation);
    if (!ui.editor.act('up')) history.previous(ui.editor);
  },
  'history:next': (conversation) => {
    const { ui, history, tree } = conversation;
    if (ui.editor.act('down') || history.next(ui.editor)) return;
    if (ui.editor.isEmpty && hasTasks(conversation)) tree.focus();
  },
  'history:search': ({ search }) => search.open(),
  'chat:takeBack': (conversation) => void withdrawLastMessage(conversation),
  'task:backgroundOrLeft': (conversation) => {
    if (conversation.ui.editor.isEmpty) toBackground(conversation);
    else conversation.ui.editor.act('left');
  },
  'task:background': (conversation) => toBackground(conversation),
  'chat:killAgents': (conversation) => stopBackground(conversation),
  'chat:cycleMode': (conversation) => void nextMode(conversation),
  'chat:modelPicker': (conversation) => void pickModel(conversation),
  'chat:thinkingToggle': (conversation) => void toggleThinking(conversation),
  'chat:externalEditor': (conversation) => void editDraft(conversation),
  'chat:stash': ({ ui, pending }) => {
    if (ui.editor.isEmpty) {
      if (pending.stashed !== undefined) ui.editor.restore(pending.stashed);
      pending.stashed = undefined;
      return;
    }
    pending.stashed = ui.editor.save();
    ui.editor.set('');
    ui.hint(`draft stashed · ${ui.keymap.keyOf('chat:stash')} restores it`);
  },
  'chat:imagePaste': (conversation) => void pasteImage(conversation),
};

/** True if the tree has anything. In a resumed session the main agent may not be there yet. */
function hasTasks({ view }: Conversation): boolean {
  return view.shells.size > 0 || [...view.agents.values()].some(({ parent }) => parent !== undefined);
}

function queueLength(conversation: Conversation): number {
  return (mainOf(conversation)?.queue.length ?? 0) + conversation.pending.commands.length;
}

function toBackground({ ui, session }: Conversation): void {
  const moved = session.toBackground();
  ui.hint(moved > 0 ? describeMoved(moved) : NOTHING_TO_MOVE);
}

/** The order of modes; those not available in the session are skipped. */
const CYCLE: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'bypassPermissions'];

async function nextMode({ ui, session }: Conversation): Promise<void> {
  const modes = CYCLE.filter((mode) => session.modes.includes(mode));
  const next = modes[(modes.indexOf(session.mode) + 1) % modes.length];
  if (next === undefined) return;
  const done = await session.execute({ type: 'set-mode', mode: next });
  ui.hint(done.ok ? `mode ${next}` : done.reason, 1_500);
}

async function toggleThinking({ ui, session, shown }: Conversation): Promise<void> {
  const thinking = shown.isThinkingOff ? null : ({ type: 'disabled' } as const);
  const done = await session.execute({ type: 'set-thinking', thinking });
  if (!done.ok) return ui.hint(done.reason);
  shown.isThinkingOff = thinking !== null;
  ui.hint(shown.isThinkingOff ? 'thinking off' : 'thinking on', 1_500);
}

/** Pastes the image of the clipboard into the prompt. */
async function pasteImage({ ui, host }: Conversation): Promise<void> {
  const { readImage } = await import('../input/clipboard.js');
  const found = await readImage(host);
  if (typeof found === 'string') return ui.hint(stripControls(found), 6_000);
  ui.editor.attachImage(found);
  ui.paint();
}

/** Stops all background agents, on the second press. */
function stopBackground({ ui, session, view, pending }: Conversation): void {
  const agents = [...view.agents.values()].filter((agent) => agent.background && isActiveChild(agent));
  if (agents.length === 0) return void ui.hint('no background agents');
  const now = ui.now();
  const key = ui.keymap.keyOf('chat:killAgents');
  if (now - pending.stopAskedAt > TWICE_MS) {
    pending.stopAskedAt = now;
    return void ui.hint(`${key} again to stop ${plural(agents.length, 'background agent')}`, TWICE_MS);
  }
  pending.stopAskedAt = Number.NEGATIVE_INFINITY;
  // Stopping an agent stops those below it.
  const ids = new Set(agents.map(({ id }) => id));
  for (const { id, parent } of agents) {
    if (parent === undefined || !ids.has(parent)) void session.execute({ type: 'stop-task', task: id });
  }
  ui.hint(`stopped ${plural(agents.length, 'agent')}`);
}
