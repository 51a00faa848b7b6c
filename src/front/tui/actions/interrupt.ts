/** Does what Esc and Ctrl+C mean: interrupts the turn in view, gives a prompt back, keeps a draft, leaves (TU-23). */

import { stripUnsafe } from '../../../gate/permissions/strip-unsafe.js';
import { atWorkBehind, type Conversation, isWorking, mainOf, waitedFor } from '../app/conversation.js';
import { openRewind } from '../open/open-rewind.js';
import type { Deed } from './interrupt-keys.js';

export function pressInterrupt(conversation: Conversation, key: 'esc' | 'ctrl+c'): void {
  const { ui, interrupts, teller } = conversation;
  const situation = {
    isWorking: isWorking(conversation),
    waitedFor: waitedFor(conversation).length,
    hasToken: teller.hasToken,
    hasDraft: !ui.editor.isEmpty,
  };
  const deed = interrupts.press(key, situation, ui.now());
  if (deed !== undefined) perform(conversation, deed, key);
}

function perform(conversation: Conversation, deed: Deed, key: string): void {
  const { ui, session } = conversation;
  // Within a draft the short key moves the cursor.
  const background = ui.keymap.keyOf(ui.editor.isEmpty ? 'task:backgroundOrLeft' : 'task:background');
  switch (deed) {
    case 'warn-agents':
      return ui.hint(`${key} again stops ${waitedFor(conversation).length} · ${background} background`, 2_000);
    case 'interrupt':
      return session.interrupt();
    case 'take-back':
      return void takeBack(conversation);
    case 'warn-draft':
      return ui.hint(`${key} again puts this away (it stays in the history)`, 2_000);
    case 'keep-draft':
      return keepDraft(conversation);
    case 'warn-rewind':
      return ui.hint(`${key} again goes back to an earlier prompt`, 2_000);
    case 'rewind':
      return void openRewind(conversation);
    case 'warn-exit':
      return ui.hint(`${key} again leaves${whatIsLeft(conversation)}`, 2_000);
    case 'exit':
      return conversation.leave(0);
    default:
      return deed satisfies never;
  }
}

/** Leaving interrupts what works: that is said first, and leaving takes a second press. */
export function leaveOnceSure(conversation: Conversation, key: string): void {
  const { ui, interrupts } = conversation;
  if (atWorkBehind(conversation) === 0 && !isWorking(conversation)) return conversation.leave(0);
  const deed = interrupts.press(
    'ctrl+c',
    { isWorking: false, waitedFor: 0, hasToken: true, hasDraft: false },
    ui.now(),
  );
  if (deed === 'exit') conversation.leave(0);
  else ui.hint(`${key} again leaves${whatIsLeft(conversation)}`, 2_000);
}

function whatIsLeft(conversation: Conversation): string {
  const count = atWorkBehind(conversation);
  if (count === 0) return '';
  return count === 1
    ? ': 1 at work is interrupted, and can be resumed'
    : `: ${count} at work are interrupted, and can be resumed`;
}

function keepDraft({ ui, history }: Conversation): void {
  history.add(ui.editor.text);
  ui.editor.set('');
}

/** Nothing was answered: the conversation goes back to before the prompt, which can be changed and sent again. */
async function takeBack(conversation: Conversation): Promise<void> {
  const { ui, session, teller } = conversation;
  const isNew = (mainOf(conversation)?.queue.length ?? 0) === 0;
  session.interrupt();
  await teller.runEnded();
  const prompts = await session.prompts();
  const last = prompts.at(-1);
  if (!isNew || last === undefined || teller.hasToken || !ui.editor.isEmpty) return;
  const done = await session.execute({ type: 'rewind', to: prompts.length, part: 'conversation' });
  // What works in the background keeps the conversation as it is: the history has the words.
  if (!done.ok) return ui.hint(stripUnsafe(done.reason));
  ui.editor.set(teller.lastPrompt ?? last.words);
  ui.paint();
}
