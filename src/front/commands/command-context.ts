/** The context in which a slash command runs, the same in every surface. */

import { stripControls } from '../../gate/permissions/strip-controls.js';
import type { Session } from '../sdk/session.js';
import type { SessionView } from '../view/session-view.js';

export type CommandContext = {
  readonly session: Session;
  readonly view: SessionView;
  /** Prints one or more lines. The caller has made the text safe to show. */
  readonly say: (line: string) => void;
  /** Resolves with undefined if nobody can answer. */
  readonly ask: (question: string) => Promise<string | undefined>;
  /** Sends a prompt to the main agent, as if it had been typed. */
  readonly send: (prompt: string) => Promise<void>;
  readonly leave: () => void;
  /** Ctrl+C interrupts this work: by `cancel`, or as it interrupts the main agent. */
  readonly work: <T>(work: Promise<T>, cancel?: () => void) => Promise<T>;
  /**
   * Continues in another session. Resolves with the reason if it can't be opened. `copy`: it keeps the model and mode of
   * this session; otherwise it resumes as it was left.
   */
  readonly switchTo: (session: string, as: 'copy' | 'other') => Promise<string | undefined>;
  /** Commands typed during a turn, queued in order until it ends (TU-21). */
  readonly waiting?: string[];
  /** Only the terminal has these. */
  readonly ui?: TerminalParts;
};

export type TerminalParts = {
  /** Changes the theme if one is named. Returns a line with the current one. */
  theme(name?: string): string;
  /** Toggles vim keys. Returns true if they are on now. */
  vim(): boolean;
  /** Copies to the clipboard. Returns a line with the outcome: over a network, arrival is not confirmed. */
  copy(text: string): Promise<string>;
};

/** Prints lines from a model, a file or a server, stripped of control characters (GT-20). */
export function sayLines(say: (line: string) => void, lines: readonly string[]): void {
  for (const line of lines) say(stripControls(line));
}
