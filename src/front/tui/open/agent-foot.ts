/** The foot of an agent's page: its question, messages sent to it, a line to write to it. Esc leaves and stops nothing (TU-10). */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import { type Conversation, isActiveChild } from '../app/conversation.js';
import { editKey } from '../app/edit-key.js';
import { Editor } from '../input/editor/editor.js';
import type { KeyEvent } from '../input/key-event.js';
import { workingRows } from '../parts/working-line.js';
import type { Frame } from '../screen/frame.js';
import { clip } from '../screen/width.js';

export class AgentFoot {
  readonly #conversation: Conversation;
  readonly #agent: string;
  readonly #editor = new Editor();
  /** True if keys are for the line. */
  #isWriting: boolean;
  /** Unread messages: the text, and whether it was seen in the queue. */
  #sent: { readonly text: string; isQueued: boolean }[] = [];
  #message = '';

  constructor(conversation: Conversation, agent: string, how: 'read' | 'write') {
    this.#conversation = conversation;
    this.#agent = agent;
    this.#isWriting = how === 'write';
    conversation.questions.turnTo(agent, 'also what was set aside');
  }

  frame(width: number, most: number, now: number): Frame {
    const { ui, view, questions } = this.#conversation;
    const { theme } = ui;
    questions.turnTo(this.#agent);
    const question = this.asks
      ? questions.rows({ width, maxRows: Math.max(1, most - 3), hasDraft: !this.#editor.isEmpty }, theme)
      : { rows: [] };
    const working = workingRows(view, this.#agent, { width, now, theme, interruptKey: '' }).slice(0, 1);
    const state = this.#stateRows(width);
    const line = this.#line(width, Math.max(1, most - question.rows.length - working.length - state.length));
    const rows = [...working, ...state, ...question.rows, ...line.rows];
    const above = working.length + state.length;
    const cursor =
      question.cursor !== undefined
        ? { row: above + question.cursor.row, column: question.cursor.column }
        : line.cursor && { row: above + question.rows.length + line.cursor.row, column: line.cursor.column };
    return { rows, cursor };
  }

  /** True if the key was for the foot. */
  press(event: KeyEvent): boolean {
    if (this.asks && this.#answer(event)) return true;
    if (this.#isWriting) return this.#write(event);
    if (event.kind !== 'key') return false;
    if (event.name === 'm' || event.name === 'enter' || event.name === 'tab') {
      this.#isWriting = true;
      return true;
    }
    if (event.name === 't' && this.#agent !== MAIN_AGENT) {
      void this.#takeOver();
      return true;
    }
    return false;
  }

  /** True if its question is the one shown. */
  get asks(): boolean {
    return this.#conversation.questions.isAskedBy(this.#agent);
  }

  /** Key events that turn out to be text are written to this agent. */
  #answer(event: KeyEvent): boolean {
    const { questions, typed } = this.#conversation;
    const { onText } = typed;
    typed.onText = (presses) => {
      this.#isWriting = true;
      for (const one of presses) this.#write(one);
    };
    const taken = questions.press(event, { hasDraft: !this.#editor.isEmpty });
    typed.onText = onText;
    return taken === 'taken';
  }

  hints(): string {
    if (this.#isWriting) return 'enter send · esc back to the transcript';
    const taken = this.#isTaken() ? 't hand back' : 't take over';
    return [
      'm write',
      ...(this.#agent === MAIN_AGENT ? [] : [taken]),
      '↑↓ scroll',
      '/ search',
      'c copy',
      'v pager',
      'esc back',
    ].join(' · ');
  }

  #line(width: number, most: number): Frame {
    if (!this.#isWriting) return { rows: [] };
    const { theme } = this.#conversation.ui;
    const { rows, cursor } = this.#editor.rows(Math.max(1, width - 2), most);
    return {
      rows: rows.map((row, index) => (index === 0 ? theme.accent('> ') : '  ') + row),
      cursor: { row: cursor.row, column: cursor.column + 2 },
    };
  }

  #stateRows(width: number): readonly string[] {
    const { ui, view } = this.#conversation;
    const queue = view.agents.get(this.#agent)?.queue ?? [];
    for (const sent of this.#sent) sent.isQueued ||= queue.length > 0;
    const rows = this.#sent.map(({ text, isQueued }) => {
      const state = queue.length > 0 || !isQueued ? 'sent' : 'read';
      return `  ${state}: ${stripControls(text).split('\n')[0]}`;
    });
    const message = this.#message === '' ? [] : [`  ${this.#message}`];
    return [...rows.slice(-3), ...message].map((row) => ui.theme.dim(clip(row, width)));
  }

  #write(event: KeyEvent): boolean {
    const { keymap } = this.#conversation.ui;
    const found = event.kind === 'key' ? keymap.resolve('editor', event) : undefined;
    const action = found !== undefined && 'action' in found ? found.action : undefined;
    if (action === 'chat:submit') void this.#send();
    else if (action === 'chat:cancel' || action === 'app:interrupt') this.#isWriting = false;
    else editKey(this.#editor, event, action);
    return true;
  }

  async #send(): Promise<void> {
    const { session, ui } = this.#conversation;
    const { text } = this.#editor;
    if (text.trim() === '') return;
    this.#editor.set('');
    this.#message = '';
    const sent = { text, isQueued: false };
    this.#sent.push(sent);
    const done =
      this.#agent === MAIN_AGENT
        ? { ok: true as const, end: void session.execute({ type: 'prompt', content: text, when: 'next' }) }
        : await session.execute({ type: 'message', agent: this.#agent, text });
    if (done.ok) sent.isQueued = true;
    else {
      this.#sent = this.#sent.filter((one) => one !== sent);
      this.#editor.set(text);
      this.#message = stripControls(`not sent: ${done.reason}`);
    }
    ui.paint();
  }

  #isTaken(): boolean {
    return this.#conversation.view.agents.get(this.#agent)?.takenOver === true;
  }

  async #takeOver(): Promise<void> {
    const { session, ui, view } = this.#conversation;
    const agent = view.agents.get(this.#agent);
    const isTaken = this.#isTaken();
    if (!isTaken && (agent === undefined || !isActiveChild(agent))) {
      this.#message = 'Not running. Write to it to resume it.';
      return ui.paint();
    }
    const done = await session.execute({ type: isTaken ? 'hand-back' : 'take-over', agent: this.#agent });
    this.#message = done.ok
      ? isTaken
        ? 'Handed back'
        : 'You have taken over: it pauses for you after each turn'
      : stripControls(done.reason);
    ui.paint();
  }
}
