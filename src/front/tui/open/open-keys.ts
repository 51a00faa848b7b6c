/** `?`: the key bindings. */

import type { Conversation } from '../app/conversation.js';
import { TextPage } from '../pages/text-page.js';
import { pad, widthOf } from '../screen/width.js';
import { makePageHost } from './page-host.js';

const SECTIONS = [
  ['editor', 'Prompt'],
  ['global', 'Anywhere'],
  ['menu', 'Completion menu'],
  ['search', 'History search'],
  ['question', 'Questions'],
  ['tree', 'Agent tree'],
  ['page', 'Pages'],
] as const;

const STARTS = [
  ['/', 'run a command (/help lists them)'],
  ['@', 'mention a file or folder; at the start, write to an agent'],
  ['!', 'run a shell command'],
  ['#', 'save a note to CLAUDE.md or memory'],
] as const;

export function openKeys({ ui, host }: Conversation): void {
  const { theme, keymap } = ui;
  const sections = SECTIONS.map(([context, title]) => ({
    title,
    rows: keymap.list(context).map(({ keys, does }) => [keys.join(', '), does] as const),
  }));
  const all = [{ title: 'Prompt prefixes', rows: STARTS }, ...sections];
  const column = Math.min(32, Math.max(...all.flatMap(({ rows }) => rows.map(([keys]) => widthOf(keys)))));
  const rows = () =>
    all.flatMap(({ title, rows: lines }) => [
      theme.heading(title),
      ...lines.map(([keys, does]) => `  ${theme.accent(pad(keys, column))}  ${does}`),
      '',
    ]);
  const pageHost = makePageHost(ui, host);
  ui.pages.open(new TextPage({ title: 'Keys (change them in ~/.claude/keybindings.json)', rows, theme, pageHost }));
}
