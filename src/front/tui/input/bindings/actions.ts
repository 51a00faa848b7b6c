/** The actions that keys can be bound to, with descriptions. Names are those of Claude Code where it has the same. */

import type { EditAction } from '../editor/edit-actions.js';

/** The context of a key. Keys that a context does not bind are looked up in `global`. */
export const CONTEXTS = ['global', 'editor', 'menu', 'search', 'tree', 'question', 'page'] as const;
export type KeyContext = (typeof CONTEXTS)[number];

const APP_ACTIONS = {
  'app:interrupt': 'interrupt; idle: move the draft to the history; twice when empty: exit',
  'app:exit': 'exit when nothing is typed',
  'app:redraw': 'redraw',
  'app:suspend': 'suspend',
  'app:toggleTranscript': 'transcript',
  'app:toggleTodos': 'agents and todos',
  'chat:submit': 'send; while it works: at the next safe point',
  'chat:newline': 'new line',
  'chat:tab': 'complete, or go to the open question, or send after this turn',
  'chat:cancel': 'close menu or view; interrupt; twice when idle: draft to the history, or rewind',
  'chat:takeBack': 'take back a queued message',
  'chat:cycleMode': 'mode',
  'chat:modelPicker': 'model',
  'chat:thinkingToggle': 'thinking',
  'chat:externalEditor': 'edit in $EDITOR',
  'chat:stash': 'stash the draft',
  'chat:imagePaste': 'paste an image',
  'chat:undo': 'undo',
  'chat:redo': 'redo',
  'chat:killAgents': 'twice: stop all background agents',
  'task:background': 'move to the background',
  'task:backgroundOrLeft': 'when empty: move to the background; else cursor left',
  'history:previous': 'previous line, then earlier prompts',
  'history:next': 'next line, then later prompts',
  'history:search': 'search the history',
  'autocomplete:accept': 'accept',
  'autocomplete:dismiss': 'close the menu',
  'autocomplete:previous': 'previous row',
  'autocomplete:next': 'next row',
  'historySearch:next': 'earlier match',
  'historySearch:accept': 'put the match into the editor',
  'historySearch:execute': 'send the match',
  'historySearch:cancel': 'back to the draft',
  'tree:previous': 'previous agent',
  'tree:next': 'next agent',
  'tree:open': 'open',
  'tree:close': 'close',
  'tree:view': 'view the agent',
  'tree:filter': 'filter',
  'tree:stop': 'twice: stop the agent',
  'tree:background': 'move to the background',
  'tree:resume': 'resume the agent',
  'tree:write': 'write to the agent',
  'tree:diff': "the agent's diff",
  'tree:apply': 'apply the worktree',
  'tree:mark': 'mark',
  'tree:compare': 'compare the marked agents',
  'tree:leave': 'back to the editor',
  'confirm:yes': 'once',
  'confirm:always': 'always, in this session',
  'confirm:alwaysLocal': 'always, in local settings',
  'confirm:no': 'no, with a reason',
  'confirm:onlyFirst': 'only the first agent that asks',
  'confirm:accept': 'accept the highlighted choice',
  'confirm:previous': 'previous choice',
  'confirm:next': 'next choice',
  'confirm:toggle': 'toggle',
  'confirm:here': 'show the question',
  'confirm:edit': 'edit the plan',
  'confirm:aside': 'set the question aside',
  'page:up': 'row up',
  'page:down': 'row down',
  'page:pageUp': 'page up',
  'page:pageDown': 'page down',
  'page:top': 'top',
  'page:bottom': 'end',
  'page:search': 'search',
  'page:nextMatch': 'next match',
  'page:previousMatch': 'previous match',
  'page:copy': 'copy',
  'page:pager': 'open in the pager',
  'page:takeOver': 'take over, or hand back',
  'page:accept': 'choose',
  'page:close': 'close',
} as const;

type AppAction = keyof typeof APP_ACTIONS;
export type Action = AppAction | `edit:${EditAction}`;

const EDITS: Readonly<Record<EditAction, string>> = {
  left: 'cursor left',
  right: 'cursor right',
  wordLeft: 'word left',
  wordRight: 'word right',
  lineStart: 'start of the line',
  lineEnd: 'end of the line',
  textStart: 'start of the text',
  textEnd: 'end of the text',
  up: 'previous line',
  down: 'next line',
  pageUp: 'page up',
  pageDown: 'page down',
  newline: 'new line',
  deleteLeft: 'delete previous character',
  deleteRight: 'delete next character',
  killSpaceLeft: 'cut back to the previous space',
  killWordLeft: 'cut previous word',
  killWordRight: 'cut next word',
  killToLineEnd: 'cut to the end of the line',
  killToLineStart: 'cut to the start of the line',
  yank: 'yank',
  yankPop: 'yank an earlier cut instead',
  transpose: 'swap two characters',
  upperWord: 'uppercase word',
  lowerWord: 'lowercase word',
  capitalWord: 'capitalize word',
  undo: 'undo',
  redo: 'redo',
};

/** Claude Code's names for actions that have another name here, because one key does more. */
const OTHER_NAMES: Readonly<Record<string, Action>> = {
  'chat:clearInput': 'app:redraw',
  'footer:up': 'tree:previous',
  'footer:previous': 'tree:previous',
  'footer:down': 'tree:next',
  'footer:next': 'tree:next',
  'footer:openSelected': 'tree:view',
  'footer:clearSelection': 'tree:leave',
  'confirm:nextField': 'confirm:here',
  'transcript:exit': 'page:close',
  'diff:dismiss': 'page:close',
  'help:dismiss': 'page:close',
  'select:cancel': 'page:close',
  'select:accept': 'page:accept',
  'messageSelector:select': 'page:accept',
  'select:previous': 'page:up',
  'select:next': 'page:down',
  'messageSelector:up': 'page:up',
  'messageSelector:down': 'page:down',
  'messageSelector:top': 'page:top',
  'messageSelector:bottom': 'page:bottom',
  'diff:previousFile': 'page:up',
  'diff:nextFile': 'page:down',
  'scroll:lineUp': 'page:up',
  'scroll:lineDown': 'page:down',
  'scroll:pageUp': 'page:pageUp',
  'scroll:pageDown': 'page:pageDown',
  'scroll:fullPageUp': 'page:pageUp',
  'scroll:fullPageDown': 'page:pageDown',
  'scroll:top': 'page:top',
  'scroll:bottom': 'page:bottom',
};

export function findAction(name: string): Action | undefined {
  if (Object.hasOwn(OTHER_NAMES, name)) return OTHER_NAMES[name];
  if (isAppAction(name)) return name;
  const edit = editOf(name);
  return edit === undefined ? undefined : `edit:${edit}`;
}

/** The editor's own action. Undefined: the action belongs to the app. */
export function editOf(action: string): EditAction | undefined {
  if (!action.startsWith('edit:')) return undefined;
  const name = action.slice('edit:'.length);
  return isEdit(name) ? name : undefined;
}

export function describeAction(action: Action): string {
  const edit = editOf(action);
  if (edit !== undefined) return EDITS[edit];
  return isAppAction(action) ? APP_ACTIONS[action] : '';
}

function isAppAction(name: string): name is AppAction {
  return Object.hasOwn(APP_ACTIONS, name);
}

function isEdit(name: string): name is EditAction {
  return Object.hasOwn(EDITS, name);
}
