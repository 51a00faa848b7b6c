/** Performs Esc and Ctrl+C: interrupts the turn in view, withdraws a prompt, stores a draft, exits (TU-23). */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { plural } from '../../../protocol/format-numbers.js';
import { awaitedAgents, type Conversation, countRunningTasks, isWorking, mainOf } from '../app/conversation.js';
import { openRewind } from '../open/open-rewind.js';
import { type InterruptAction, TWICE_MS } from './interrupt-keys.js';
import { endShellLine } from './shell-and-note-line.js';
import { prependToDraft } from './take-back.js';

export function pressInterrupt(conversation: Conversation, key: 'esc' | 'ctrl+c'): void {
  const { ui, interrupts, printer } = conversation;
  if (endShellLine(conversation)) return;
  const situation = {
    isWorking: isWorking(conversation),
    waitedFor: awaitedAgents(conversation).length,
    hasToken: printer.hasToken,
    hasDraft: !ui.editor.isEmpty,
  };
  // With vim keys, Esc changes the mode: it never clears what was typed (TU-18).
  if (key === 'esc' && ui.vim !== undefined && situation.hasDraft && !situation.isWorking) return;
  const action = interrupts.press(key, situation, ui.now());
  if (action !== undefined) ACTIONS[action](conversation, key);
}

type Perform = (conversation: Conversation, key: string) => void;

const ACTIONS: Readonly<Record<InterruptAction, Perform>> = {
  'warn-agents': (conversation, key) => {
    const { ui } = conversation;
    const count = awaitedAgents(conversation).length;
    // With a draft, the shorter key moves the cursor.
    const background = ui.keymap.keyOf(ui.editor.isEmpty ? 'task:backgroundOrLeft' : 'task:background');
    ui.hint(`${key} again to interrupt ${plural(count, 'agent')} · ${background} background`, TWICE_MS);
  },
  interrupt: ({ ui, session }) => {
    ui.note.clear();
    session.interrupt();
  },
  'take-back': (conversation) => void takeBack(conversation),
  'warn-draft': ({ ui }, key) => ui.hint(`${key} again to clear the draft (stays in the history)`, TWICE_MS),
  'keep-draft': ({ ui, history }) => {
    history.add(ui.editor.text);
    ui.editor.set('');
  },
  'warn-rewind': ({ ui }, key) => ui.hint(`${key} again to rewind to an earlier prompt`, TWICE_MS),
  rewind: (conversation) => void openRewind(conversation),
  'warn-exit': (conversation, key) =>
    conversation.ui.hint(`${key} again to exit${leftRunning(conversation)}`, TWICE_MS),
  exit: (conversation) => conversation.leave(0),
};

/** Exiting interrupts running tasks: a warning comes first, and exiting takes a second press. */
export function confirmExit(conversation: Conversation, key: string): void {
  const { ui, interrupts } = conversation;
  if (countRunningTasks(conversation) === 0 && !isWorking(conversation)) return void conversation.leave(0);
  const action = interrupts.press(
    'ctrl+c',
    { isWorking: false, waitedFor: 0, hasToken: true, hasDraft: false },
    ui.now(),
  );
  if (action === 'exit') conversation.leave(0);
  else ui.hint(`${key} again to exit${leftRunning(conversation)}`, TWICE_MS);
}

function leftRunning(conversation: Conversation): string {
  const count = countRunningTasks(conversation);
  if (count === 0) return '';
  return `: ${plural(count, 'running task')} will be interrupted; you can resume ${count === 1 ? 'it' : 'them'} later`;
}

/** Nothing was answered: rewinds to before the prompt, which can be edited and sent again. */
async function takeBack(conversation: Conversation): Promise<void> {
  const { ui, session, printer, pending } = conversation;
  const isNew = (mainOf(conversation)?.queue.length ?? 0) === 0;
  ui.note.clear();
  session.interrupt();
  await Promise.all(pending.turns);
  const { lastPrompt } = printer;
  if (!isNew || lastPrompt === undefined || printer.hasToken) return;
  printer.forgetPrompt();
  const prompts = await session.prompts();
  const done = await session.execute({ type: 'rewind', to: prompts.length, part: 'conversation' });
  // Background work keeps the conversation as it is.
  if (!done.ok) ui.hint(stripControls(`it also stays in the conversation: ${done.reason}`));
  prependToDraft(conversation, lastPrompt);
}
