/** What a command of a person works with, in any surface they type it into. */

import { stripControls } from '../../gate/permissions/strip-controls.js';
import type { Session } from '../sdk/session.js';
import type { SessionView } from '../view/session-view.js';

export type CommandContext = {
  readonly session: Session;
  readonly view: SessionView;
  /** A line, or several. It is safe to show: who says it has made it so. */
  readonly say: (line: string) => void;
  /** Resolves with undefined if nobody can answer. */
  readonly ask: (question: string) => Promise<string | undefined>;
  /** Says something to the main agent, as if it had been typed. */
  readonly send: (words: string) => Promise<void>;
  readonly leave: () => void;
  /** Ctrl+C interrupts this work: by `cancel`, or as it interrupts the main agent. */
  readonly work: <T>(work: Promise<T>, cancel?: () => void) => Promise<T>;
  /**
   * Continues in another session. Resolves with the reason if it can't be opened. `copy`: it goes on as this one, with its
   * model and mode; otherwise as it was left.
   */
  readonly switchTo: (session: string, as: 'copy' | 'other') => Promise<string | undefined>;
  /** Commands that were typed during a turn and wait for its end, in their order (TU-21). */
  readonly waiting?: string[];
  /** What only a terminal has. */
  readonly ui?: TerminalParts;
};

export type TerminalParts = {
  /** Changes the theme, if one is named; the line says which is in use. */
  theme(name?: string): string;
  /** Switches vim's keys on, or off. Whether they are on now. */
  vim(): boolean;
  /** What became of it, in a line: over a network nobody tells whether it arrived. */
  copy(text: string): Promise<string>;
};

/** Says lines from a model, a file or a server: none of them acts on the terminal (GT-20). */
export function sayLines(say: (line: string) => void, lines: readonly string[]): void {
  for (const line of lines) say(stripControls(line));
}
