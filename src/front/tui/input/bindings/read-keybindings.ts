/** Reads `~/.claude/keybindings.json`. Each mistake is reported in a line, and the rest applies (TU-17). */

import { escapeToLine } from '../../../../protocol/escape-controls.js';
import { isObject, parseJson } from '../../../../protocol/json/json-values.js';
import { type Action, findAction, type KeyContext } from './actions.js';
import { parseKeys } from './parse-keys.js';

/** `action` null: the keys are unbound. */
export type Binding = { readonly context: KeyContext; readonly keys: string; readonly action: Action | null };

export type Keybindings = { readonly bindings: readonly Binding[]; readonly problems: readonly string[] };

/** Claude Code's contexts, mapped to ours. */
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

/** These end a program that does not listen, so they are fixed. Ctrl+M is Enter in most terminals. */
const RESERVED = new Set(['ctrl+c', 'ctrl+d', 'ctrl+m']);
const FILE = 'keybindings.json';
const LONGEST_NAME = 60;

export function readKeybindings(text: string): Keybindings {
  // Editors on Windows begin a file with a byte order mark.
  const file = parseJson(text.replace(/^\ufeff/, ''));
  if (!isObject(file) || !Array.isArray(file.bindings)) {
    const reason = file === undefined ? 'is not valid JSON' : 'has no list "bindings"';
    return { bindings: [], problems: [`${FILE} ${reason}. Using the default keys.`] };
  }
  const blocks = file.bindings.map((block: unknown, at) => readBlock(block, at + 1));
  return { bindings: blocks.flatMap((one) => one.bindings), problems: blocks.flatMap((one) => one.problems) };
}

function readBlock(block: unknown, number: number): Keybindings {
  if (!isObject(block) || typeof block.context !== 'string' || !isObject(block.bindings)) {
    return { bindings: [], problems: [`${FILE}: block ${number} needs "context" and "bindings" (ignored)`] };
  }
  const context = Object.hasOwn(CONTEXT_NAMES, block.context) ? CONTEXT_NAMES[block.context] : undefined;
  if (context === undefined) {
    return {
      bindings: [],
      problems: [`${FILE}: unknown context ${quote(block.context)} (ignored)`],
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
  if (keys === undefined) return `${quote(words)} is not a key (ignored)`;
  if (RESERVED.has(keys)) return `${quote(words)} can't be bound (ignored)`;
  if (name === null) return { context, keys, action: null };
  if (typeof name !== 'string') return `${quote(words)} needs the name of an action or null (ignored)`;
  const action = findAction(name);
  return action === undefined
    ? `unknown action ${quote(name)} for ${quote(words)} (ignored)`
    : { context, keys, action };
}

function quote(name: string): string {
  const visible = escapeToLine(name);
  return visible.length > LONGEST_NAME ? `"${visible.slice(0, LONGEST_NAME)}…"` : `"${visible}"`;
}
