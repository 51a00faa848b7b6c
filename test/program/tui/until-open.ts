/** Waits until the session is open: its status line is there, and keys have their meaning in a conversation. */

import type { TestTerminal } from './terminal-stage.js';

export async function untilOpen(terminal: TestTerminal): Promise<void> {
  await terminal.untilSeen(/· \$[\d.]+ · .*\? keys$/m);
}

/** The text in the editor: from the prompt on, without what is below it. */
export function edited(terminal: TestTerminal): string {
  const rows = terminal.rows();
  const last = rows.findLastIndex((row) => row !== '');
  const from = rows.findLastIndex((row, at) => at < last && /^[>:] ?/.test(row));
  return rows
    .slice(from, last)
    .map((row) => row.slice(2))
    .join('\n');
}

export async function untilEdited(terminal: TestTerminal, text: string): Promise<void> {
  await terminal.until(() => edited(terminal) === text, `the editor has ${JSON.stringify(text)}`);
}
