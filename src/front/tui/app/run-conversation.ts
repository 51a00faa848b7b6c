/** Runs one session at the terminal, from its greeting until the user leaves or continues in another. */

import { VERSION } from '../../../config/version.js';
import { stripControls, stripToLine } from '../../../gate/permissions/strip-controls.js';
import { type Cancel, realClock } from '../../../host/clock.js';
import type { Host } from '../../../host/host.js';
import { MAIN_AGENT, type SessionEvent } from '../../../protocol/events.js';
import type { Session } from '../../sdk/session.js';
import { createView, type ViewFold } from '../../view/session-view.js';
import { agentLabel } from '../../view/tree/agent-label.js';
import { sendPrompt } from '../actions/send-prompt.js';
import { runQueuedCommands, runTyped } from '../actions/typed-command.js';
import { printPast } from '../history/print-past.js';
import type { Conversation } from './conversation.js';
import { ConversationStage } from './conversation-stage.js';
import { makeConversation } from './make-conversation.js';
import { Status } from './status.js';
import type { Ui } from './ui.js';

export type RunConversationOptions = {
  readonly ui: Ui;
  readonly session: Session;
  readonly host: Host;
  /** Text submitted before the conversation takes the keys, which it does when this is read. */
  readonly takePrompts: () => readonly string[];
  /** Aborts when the user leaves. */
  readonly signal: AbortSignal;
  readonly leave: (code: number) => void;
  /** Opens the session to continue in. Resolves with the reason if it can't be opened. */
  readonly openOther: (id: string, as: 'copy' | 'other') => Promise<Session | string>;
};

/** Resolves when the user leaves, or with the session to continue in. */
export async function runConversation(options: RunConversationOptions): Promise<Session | undefined> {
  const { ui, session, host, signal } = options;
  let leaveWith: (other: Session | undefined) => void = () => {};
  const left = new Promise<Session | undefined>((resolve) => {
    leaveWith = resolve;
  });
  const view = createView({
    main: { model: session.model, folder: session.cwd, mode: session.mode, queue: session.past?.queue ?? [] },
    past: session.pastAgents,
  });
  const switchTo: Conversation['switchTo'] = async (id, as) => {
    const opened = await options.openOther(id, as);
    if (typeof opened === 'string') return opened;
    leaveWith(opened);
    return undefined;
  };
  const conversation = makeConversation({ ui, session, host, view, signal, leave: options.leave, switchTo });
  const status = new Status(ui, session, view, host);
  const stage = new ConversationStage(conversation, status);
  conversation.typed.onText = stage.type;
  conversation.typed.run = (line) => void runTyped(conversation, line, 'next');
  conversation.typed.onIdle = () => void runQueuedCommands(conversation);
  const unwatch = session.onWoken(conversation.typed.onIdle);
  ui.onPress = (press) => {
    conversation.notifications.press(press);
    // Typing on a page is typing, too.
    if (!ui.isOnStage && !ui.pages.asks) conversation.questions.typed();
  };
  const detach = follow(conversation, view, status);
  greet(conversation);
  const [draft] = await Promise.all([conversation.history.load(), printPast(conversation)]);
  if (draft !== undefined && ui.editor.isEmpty) ui.editor.set(draft);
  ui.stage = stage;
  void status.start();
  for (const words of options.takePrompts()) void send(conversation, words);
  const leave = () => leaveWith(undefined);
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  const other = await left;
  signal.removeEventListener('abort', leave);
  unwatch();
  ui.pages.closeAll();
  // The draft stays in the editor for the next session.
  await conversation.history.close(other === undefined ? ui.editor.text : '');
  await status.close();
  await conversation.printer.settled();
  detach();
  return other;
}

function send(conversation: Conversation, words: string): Promise<void> {
  return words.startsWith('/') ? runTyped(conversation, words, 'next') : sendPrompt(conversation, words, 'next');
}

function greet({ session, printer, ui }: Conversation): void {
  const { model, cwd, mode, warnings } = session;
  const { theme } = ui;
  printer.lines(
    `${theme.accent('●')} Coppice ${VERSION} ${theme.dim(`· ${stripToLine(model)} · ${stripToLine(cwd)} · mode ${mode} · /help, ? keys`)}`,
  );
  for (const warning of warnings) printer.say('warning', stripControls(warning));
}

/** Shows the agent's name instead of its id. */
function lineOf(id: string, line: string, { agents }: ViewFold): string {
  const agent = agents.get(id);
  const rest = line.startsWith(`agent ${id}: `) ? line.slice(`agent ${id}: `.length) : line;
  return `${agent === undefined ? id : agentLabel(agent)}: ${rest}`;
}

/** Passes events to the view and the history, questions to the panel. Returns a function that stops it. */
function follow(conversation: Conversation, view: ViewFold, status: Status): () => void {
  const { ui, session, printer, ends, notifications, questions } = conversation;
  let cancelEnds: Cancel | undefined;
  const tellEnds = () => {
    cancelEnds?.();
    cancelEnds = undefined;
    const line = ends.due(ui.now());
    if (line !== undefined) printer.say('info', line);
    const wait = ends.wait(ui.now());
    if (wait !== undefined) cancelEnds = realClock.after(wait, tellEnds);
  };
  const onEvent = (sessionEvent: SessionEvent) => {
    const { agent, event, seq } = sessionEvent;
    ends.take(sessionEvent, view);
    view.apply(sessionEvent, realClock.elapsed());
    if (agent === MAIN_AGENT) printer.take(event, seq);
    else if (event.kind === 'line-shown' && event.level !== 'info')
      printer.say(event.level, lineOf(agent, event.line, view));
    if (event.kind === 'question-asked' || event.kind === 'question-settled' || event.kind === 'run-ended') {
      questions.update(session.questions());
      notifications.update(session.questions());
    }
    tellEnds();
    if (agent === MAIN_AGENT && event.kind === 'turn-started') conversation.pending.isCutOff = false;
    if (agent === MAIN_AGENT && (event.kind === 'run-ended' || event.kind === 'turn-started')) {
      notifications.work(event.kind === 'turn-started');
      if (event.kind === 'run-ended') status.refresh();
    }
    ui.paint();
  };
  // A slow terminal costs time, not memory.
  const detach = session.attach({ onEvent, canAnswer: true, whenReady: () => ui.whenWritten() });
  return () => {
    cancelEnds?.();
    detach();
  };
}
