/** The context of slash commands at the terminal. */

import type { CommandContext } from '../../commands/command-context.js';
import type { Conversation } from '../app/conversation.js';
import { sendPrompt } from './send-prompt.js';

export function contextOf(conversation: Conversation): CommandContext {
  const { ui, session, view, printer, pending } = conversation;
  const say = (line: string) => printer.lines(line);
  return {
    session,
    view,
    say,
    ask: (question) => {
      say(question);
      return ui.ask('? ', conversation.signal, true);
    },
    send: (words) => sendPrompt(conversation, words, 'next'),
    leave: () => conversation.leave(0),
    work: (work) => work,
    switchTo: conversation.switchTo,
    waiting: pending.commands,
    ui: conversation.appearance,
  };
}
