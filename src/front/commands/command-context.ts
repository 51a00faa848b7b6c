/** What a command of a person works with, in any surface they type it into. */

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
  /** Commands that wait for the end of the turn. */
  readonly waiting?: WaitingCommands;
  /** What only a terminal has. */
  readonly ui?: TerminalParts;
};

export type WaitingCommands = {
  list(): readonly string[];
  /** Takes one back, by its place in the list. */
  take(place: number): string | undefined;
};

export type TerminalParts = {
  /** Changes the theme, if one is named; the line says which is in use. */
  theme(name?: string): string;
  /** Switches vim's keys on, or off. Whether they are on now. */
  vim(): boolean;
  /** What became of it, in a line: over a network nobody tells whether it arrived. */
  copy(text: string): Promise<string>;
};
