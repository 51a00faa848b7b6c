/** The conversation on the screen: its live area, and the dispatch of key events. */

import { MAIN_AGENT } from '../../../protocol/events.js';
import { oneLine } from '../../view/tree/agent-label.js';
import { ACTIONS } from '../actions/actions.js';
import { performTreeAction } from '../actions/perform-tree-action.js';
import { submit } from '../actions/submit.js';
import type { Action } from '../input/bindings/actions.js';
import type { KeyEvent } from '../input/key-event.js';
import { openKeys } from '../open/open-keys.js';
import { treeRows } from '../panels/tree-panel.js';
import { queueRows } from '../parts/queue-rows.js';
import { todoRows } from '../parts/todo-rows.js';
import { workingRows } from '../parts/working-line.js';
import type { Frame, Size } from '../screen/frame.js';
import { clip } from '../screen/width.js';
import { type Conversation, countRunningTasks, isWorking, mainOf } from './conversation.js';
import { editKey } from './edit-key.js';
import { liveFrame } from './live-frame.js';
import type { Status } from './status.js';
import type { Stage } from './ui.js';

export class ConversationStage implements Stage {
  readonly #conversation: Conversation;
  readonly #status: Status;

  constructor(conversation: Conversation, status: Status) {
    this.#conversation = conversation;
    this.#status = status;
  }

  frame(size: Size, now: number): Frame {
    const { ui, view, printer, tree, questions, menu, search } = this.#conversation;
    const { theme, keymap } = ui;
    const hasDraft = this.#isAway;
    const interruptKey = keymap.keyOf('chat:cancel');
    return liveFrame(
      {
        tail: (width, most) => printer.tail(width, most, now),
        working: (width) => [
          ...workingRows(view, MAIN_AGENT, { width, now, theme, interruptKey }),
          ...this.#todos(width),
        ],
        queue: (width, maxRows) => this.#queue(width, maxRows),
        tree: (width, most) => tree.rows(view, now, { width, maxRows: Math.min(most, treeRows(size.rows)) }, theme),
        question: (width, maxRows) => questions.rows({ width, maxRows, hasDraft }, theme),
        editor: (width, most) =>
          search.isOpen ? search.frame(width, most) : ui.editorFrame(width, most, this.#prompt()),
        menu: (width, most) => menu.rows(width, most, theme),
        status: (width) => this.#status.rows(width, now, questions.waiting),
      },
      size,
    );
  }

  press(event: KeyEvent): void {
    const { ui, search, menu, tree, interrupts } = this.#conversation;
    if (this.#pressQuestion(event)) return;
    if (search.isOpen) return void this.#pressSearch(ui.translateKey('search', event));
    if (menu.isOpen && menu.press(ui.translateKey('menu', event)) === 'taken') return void this.#edited();
    if (tree.hasFocus) {
      if (!ui.actAnywhere('tree', event)) this.#pressTree(event);
      return;
    }
    if (event.kind === 'key' && event.name === '?' && ui.editor.isEmpty) return void openKeys(this.#conversation);
    // With vim keys, Esc and letters come first: only what vim ignores is an action.
    if (ui.vim?.press(event) === 'taken') return void this.#edited();
    const found = ui.keymap.resolve('editor', event);
    if (found !== undefined && 'chord' in found) return;
    const action = found?.action;
    if (action !== 'chat:cancel' && action !== 'app:interrupt' && action !== 'app:exit') interrupts.forget();
    this.#act(event, action);
    this.#edited();
  }

  isTicking(): boolean {
    return isWorking(this.#conversation) || countRunningTasks(this.#conversation) > 0;
  }

  /** Inserts key events that turned out to be text. */
  readonly type = (presses: readonly KeyEvent[]): void => {
    for (const event of presses) this.#act(event, undefined);
    this.#edited();
  };

  #act(event: KeyEvent, action: Action | undefined): void {
    const { ui } = this.#conversation;
    const act = action === undefined ? undefined : ACTIONS[action];
    if (act !== undefined) act(this.#conversation);
    else editKey(ui.editor, event, action);
  }

  /** True if keys go elsewhere: the question gets them only after Tab. */
  get #isAway(): boolean {
    const { ui, search, tree } = this.#conversation;
    return !ui.editor.isEmpty || search.isOpen || tree.hasFocus;
  }

  /** An open part gets keys before a question; from the tree, only Tab leads to the question. */
  #pressQuestion(event: KeyEvent): boolean {
    const { ui, questions, search, menu, tree } = this.#conversation;
    const translated = ui.translateKey('question', event);
    const isInTree = tree.hasFocus && !questions.hasFocus;
    if (!search.isOpen && !menu.isOpen && !isInTree)
      return questions.press(translated, { hasDraft: this.#isAway }) === 'taken';
    const isTurning = isInTree && translated.kind === 'key' && translated.name === 'tab' && questions.waiting > 0;
    if (isTurning) questions.bringUp();
    else questions.typed();
    return isTurning;
  }

  #pressSearch(event: KeyEvent): void {
    if (this.#conversation.search.press(event)) submit(this.#conversation, 'next');
    this.#edited();
  }

  #pressTree(event: KeyEvent): void {
    const { tree, ui } = this.#conversation;
    const translated = tree.isTyping ? event : ui.keymap.translate('tree', event);
    const action = translated === undefined ? undefined : tree.press(translated);
    if (action !== undefined) void performTreeAction(this.#conversation, action);
  }

  #edited(): void {
    const { menu, ui, history } = this.#conversation;
    menu.update(ui.editor);
    history.keepDraft(ui.editor.text);
  }

  #prompt(): string {
    const { ui, session } = this.#conversation;
    const mark = ui.vim?.mode === 'normal' ? ': ' : '> ';
    return session.mode === 'default' ? ui.theme.accent(mark) : ui.theme.warn(mark);
  }

  #queue(width: number, maxRows: number): readonly string[] {
    const { ui, pending } = this.#conversation;
    const { theme, keymap } = ui;
    const main = mainOf(this.#conversation);
    const isIdle = main?.status !== 'running';
    // Messages that start a turn are about to be read.
    const queue = (main?.queue ?? []).filter(({ held }) => held === true || !isIdle);
    const rows = queueRows(queue, { width, maxRows, theme, takeBackKey: keymap.keyOf('chat:takeBack') });
    const also = [
      ...[...pending.shells.values()].map(
        (command) => `  $ ${oneLine(command)} · ${keymap.keyOf('chat:cancel')} stops it`,
      ),
      ...[...pending.sending.values()].map((text) => `  sending: ${oneLine(text)}`),
      ...pending.commands.map((line) => `  after this turn: ${oneLine(line)}`),
      ...(isIdle && queue.length > 0 ? [`  ${keymap.keyOf('chat:submit')} sends the queued messages`] : []),
    ];
    return [...rows, ...also.map((row) => theme.dim(clip(row, width)))].slice(0, maxRows);
  }

  #todos(width: number): readonly string[] {
    const { view, shown, ui } = this.#conversation;
    if (view.todos.length === 0) return [];
    if (!shown.todos && !isWorking(this.#conversation)) return [];
    return todoRows(view.todos, { width, theme: ui.theme, whole: shown.todos });
  }
}
