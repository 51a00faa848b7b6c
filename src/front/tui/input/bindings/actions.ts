/** What keys can be bound to, and what each does. The names are those of Claude Code where it has the same. */

import type { EditAction } from '../editor/edit-actions.js';

/** Where a key was pressed. What a context doesn't bind is looked up in `global`. */
export const CONTEXTS = ['global', 'editor', 'menu', 'search', 'tree', 'question', 'page'] as const;
export type KeyContext = (typeof CONTEXTS)[number];

const APP_ACTIONS = {
  'app:interrupt': 'interrupts; idle: draft into history; twice on empty: exits',
  'app:exit': 'exits when nothing is typed',
  'app:redraw': 'paints the screen anew',
  'app:suspend': 'suspends',
  'app:toggleTranscript': 'transcript',
  'app:toggleTodos': 'agents and todos',
  'chat:submit': 'sends; while it works: at the next safe point',
  'chat:newline': 'new line',
  'chat:tab': 'completion, else the waiting question, else sends after this turn',
  'chat:cancel': 'closes menu or view; interrupts; twice when idle: draft into history, or rewind',
  'chat:takeBack': 'takes back a queued message',
  'chat:cycleMode': 'mode',
  'chat:modelPicker': 'model',
  'chat:thinkingToggle': 'thinking',
  'chat:externalEditor': 'writes in $EDITOR',
  'chat:stash': 'stashes the draft',
  'chat:imagePaste': 'pastes an image',
  'chat:undo': 'undoes',
  'chat:redo': 'does it again',
  'chat:killAgents': 'twice: stops all background agents',
  'task:background': 'to the background',
  'task:backgroundOrLeft': 'on empty: to the background; else cursor left',
  'history:previous': 'line above, then earlier prompts',
  'history:next': 'line below, then later prompts',
  'history:search': 'searches the history',
  'autocomplete:accept': 'takes the row',
  'autocomplete:dismiss': 'closes the menu',
  'autocomplete:previous': 'row above',
  'autocomplete:next': 'row below',
  'historySearch:next': 'earlier match',
  'historySearch:accept': 'takes the match into the editor',
  'historySearch:execute': 'sends the match',
  'historySearch:cancel': 'back to the draft',
  'tree:previous': 'agent above',
  'tree:next': 'agent below',
  'tree:open': 'opens',
  'tree:close': 'closes',
  'tree:view': 'views the agent',
  'tree:filter': 'filters',
  'tree:stop': 'twice: stops the agent',
  'tree:background': 'to the background',
  'tree:resume': 'resumes the agent',
  'tree:write': 'writes to the agent',
  'tree:diff': 'diff of the agent',
  'tree:apply': 'applies the worktree',
  'tree:mark': 'marks',
  'tree:compare': 'compares those marked',
  'tree:leave': 'back to the editor',
  'confirm:yes': 'once',
  'confirm:always': 'always, in this session',
  'confirm:alwaysLocal': 'always, in local settings',
  'confirm:no': 'no, with a reason',
  'confirm:onlyFirst': 'only the first of those who ask',
  'confirm:accept': 'takes the highlighted choice',
  'confirm:previous': 'choice above',
  'confirm:next': 'choice below',
  'confirm:toggle': 'chooses or not',
  'confirm:here': 'brings the question up',
  'confirm:edit': 'edits the plan',
  'confirm:aside': 'sets the question aside',
  'page:up': 'row above',
  'page:down': 'row below',
  'page:pageUp': 'page above',
  'page:pageDown': 'page below',
  'page:top': 'beginning',
  'page:bottom': 'end',
  'page:search': 'searches',
  'page:nextMatch': 'next match',
  'page:previousMatch': 'match before',
  'page:copy': 'copies',
  'page:pager': 'shows it in the pager',
  'page:takeOver': 'takes over, or hands back',
  'page:accept': 'takes the row',
  'page:close': 'closes',
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
  up: 'line above',
  down: 'line below',
  pageUp: 'page above',
  pageDown: 'page below',
  newline: 'new line',
  deleteLeft: 'deletes the character before',
  deleteRight: 'deletes the character behind',
  killSpaceLeft: 'cuts back to the space before',
  killWordLeft: 'cuts the word before',
  killWordRight: 'cuts the word behind',
  killToLineEnd: 'cuts to the end of the line',
  killToLineStart: 'cuts to the start of the line',
  yank: 'puts in what was cut',
  yankPop: 'puts in what was cut earlier instead',
  transpose: 'exchanges two characters',
  upperWord: 'capitals',
  lowerWord: 'small letters',
  capitalWord: 'capital first',
  undo: 'undoes',
  redo: 'does it again',
};

/** Names of Claude Code for what has another name here, because one key serves more. */
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

/** What the editor does by itself. Undefined: the action is the app's. */
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
