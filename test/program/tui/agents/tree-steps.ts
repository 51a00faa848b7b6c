/** Steps with agents at a terminal: calls that start them, and rows of the tree. */

import { agentCall } from '../../../support/agent-call.js';
import type { TerminalStage, TestTerminal } from '../terminal-stage.js';
import { untilOpen } from '../until-open.js';

/** A model's call for a fork in the background. */
export const fork = (prompt: string, more: object = {}) =>
  agentCall(prompt, { subagent_type: 'fork', run_in_background: true, ...more });

/** The program with its editor ready. */
export async function openReady(stage: TerminalStage, ...args: readonly string[]): Promise<TestTerminal> {
  const terminal = stage.open(args);
  await untilOpen(terminal);
  return terminal;
}

export function send(terminal: TestTerminal, words: string): void {
  terminal.type(words);
  terminal.press('enter');
}

/** Moves in the tree until the row of this agent is the chosen one. */
export async function choose(terminal: TestTerminal, name: string): Promise<void> {
  const chosen = () => terminal.rows().findIndex((row) => row.startsWith('›'));
  const wanted = () => terminal.rows().findIndex((row) => new RegExp(`^[› ][* ] *. ${name}(?![\\w-])`).test(row));
  // Rows move while others appear above them: the chosen one is identified by its name.
  const nameOf = (row: number) => /^›[* ] *. (\S+)/.exec(terminal.rows()[row] ?? '')?.[1];
  await terminal.until(() => chosen() >= 0 && wanted() >= 0, `${name} in the tree`);
  while (nameOf(chosen()) !== name) {
    const from = nameOf(chosen());
    terminal.press(wanted() < chosen() ? 'up' : 'down');
    await terminal.until(() => nameOf(chosen()) !== from, `another row than ${from} is chosen`);
  }
}

/** Longer than the pause before a question takes keys: after that a key is a choice. */
const QUIET_MS = 800;

/** Answers a question that is on the screen. */
export async function pressChoice(terminal: TestTerminal, key: string): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  terminal.press(key);
}

/** The visible rows, as one text. */
export const screen = (terminal: TestTerminal): string => terminal.rows().join('\n');
