/** `?`: the keys, as they are bound. */

import type { Conversation } from '../app/conversation.js';
import { TextPage } from '../pages/text-page.js';
import { pad, widthOf } from '../screen/width.js';
import { makePageHost } from './page-host.js';

const SECTIONS = [
  ['editor', 'At the prompt'],
  ['global', 'Anywhere'],
  ['menu', 'In a list of completions'],
  ['search', 'In the history search'],
  ['question', 'At a question'],
  ['tree', 'In the tree of agents'],
  ['page', 'In a page'],
] as const;

const STARTS = [
  ['/', 'a command; /help lists them'],
  ['@', 'a file or a folder; first of all an agent: what follows is written to it'],
  ['!', 'a line for the shell'],
  ['#', 'a line for CLAUDE.md or memory'],
] as const;

export function openKeys({ ui, host }: Conversation): void {
  const { theme, keymap } = ui;
  const sections = SECTIONS.map(([context, title]) => ({
    title,
    rows: keymap.list(context).map(({ keys, does }) => [keys.join(', '), does] as const),
  }));
  const all = [{ title: 'A prompt that begins with', rows: STARTS }, ...sections];
  const column = Math.min(32, Math.max(...all.flatMap(({ rows }) => rows.map(([keys]) => widthOf(keys)))));
  const rows = () =>
    all.flatMap(({ title, rows: lines }) => [
      theme.heading(title),
      ...lines.map(([keys, does]) => `  ${theme.accent(pad(keys, column))}  ${does}`),
      '',
    ]);
  const pageHost = makePageHost(ui, host);
  ui.pages.open(new TextPage({ title: 'Keys (~/.claude/keybindings.json changes them)', rows, theme, pageHost }));
}
