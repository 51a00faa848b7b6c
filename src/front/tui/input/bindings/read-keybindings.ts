/** Reads `~/.claude/keybindings.json`. What is wrong in it is said, one line each, and the rest counts (TU-17). */

import { escapeToLine } from '../../../../protocol/escape-controls.js';
import { isObject, parseJson } from '../../../../protocol/json/json-values.js';
import { type Action, findAction, type KeyContext } from './actions.js';
import { parseKeys } from './parse-keys.js';

/** `action` null: the keys do nothing any more. */
export type Binding = { readonly context: KeyContext; readonly keys: string; readonly action: Action | null };

export type Keybindings = { readonly bindings: readonly Binding[]; readonly problems: readonly string[] };

/** Claude Code's contexts, and which of ours each is. */
const CONTEXT_NAMES: Readonly<Record<string, KeyContext>> = {
  Global: 'global',
  Chat: 'editor',
  Task: 'editor',
  Autocomplete: 'menu',
  HistorySearch: 'search',
  Footer: 'tree',
  Confirmation: 'question',
  Transcript: 'page',
  DiffDialog: 'page',
  Help: 'page',
  MessageSelector: 'page',
  Scroll: 'page',
  Select: 'page',
};

/** These end a program that does not listen, so they always do the same. Ctrl+M is Enter in most terminals. */
const RESERVED = new Set(['ctrl+c', 'ctrl+d', 'ctrl+m']);
const FILE = 'keybindings.json';
const LONGEST_NAME = 60;

export function readKeybindings(text: string): Keybindings {
  // Editors on Windows begin a file with a mark.
  const file = parseJson(text.replace(/^\ufeff/, ''));
  if (!isObject(file) || !Array.isArray(file.bindings)) {
    const reason = file === undefined ? 'is not valid JSON' : 'has no list "bindings"';
    return { bindings: [], problems: [`${FILE} ${reason}: the default keys count`] };
  }
  const blocks = file.bindings.map((block: unknown, at) => readBlock(block, at + 1));
  return { bindings: blocks.flatMap((one) => one.bindings), problems: blocks.flatMap((one) => one.problems) };
}

function readBlock(block: unknown, number: number): Keybindings {
  if (!isObject(block) || typeof block.context !== 'string' || !isObject(block.bindings)) {
    return { bindings: [], problems: [`${FILE}: block ${number} needs "context" and "bindings"; it does not count`] };
  }
  const context = Object.hasOwn(CONTEXT_NAMES, block.context) ? CONTEXT_NAMES[block.context] : undefined;
  if (context === undefined) {
    return {
      bindings: [],
      problems: [`${FILE}: there is no context ${quote(block.context)} here; its keys do not count`],
    };
  }
  const bindings: Binding[] = [];
  const problems: string[] = [];
  for (const [words, name] of Object.entries(block.bindings)) {
    const binding = readBinding(context, words, name);
    if (typeof binding === 'string') problems.push(`${FILE}: ${binding}`);
    else bindings.push(binding);
  }
  return { bindings, problems };
}

function readBinding(context: KeyContext, words: string, name: unknown): Binding | string {
  const keys = parseKeys(words);
  if (keys === undefined) return `${quote(words)} is no key`;
  if (RESERVED.has(keys)) return `${quote(words)} can not be bound`;
  if (name === null) return { context, keys, action: null };
  if (typeof name !== 'string') return `${quote(words)} needs the name of an action, or null`;
  const action = findAction(name);
  return action === undefined ? `there is no action ${quote(name)} here (${quote(words)})` : { context, keys, action };
}

function quote(name: string): string {
  const visible = escapeToLine(name);
  return visible.length > LONGEST_NAME ? `"${visible.slice(0, LONGEST_NAME)}…"` : `"${visible}"`;
}
