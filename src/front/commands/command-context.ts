/** What a command of a line-based session works with. */

import type { Session } from '../sdk/session.js';
import type { SessionView } from '../view/session-view.js';

export type CommandContext = {
  readonly session: Session;
  readonly view: SessionView;
  readonly say: (line: string) => void;
  /** Resolves with undefined if nobody can answer. */
  readonly ask: (question: string) => Promise<string | undefined>;
  readonly leave: () => void;
  /** Ctrl+C interrupts this work. */
  readonly work: <T>(work: Promise<T>) => Promise<T>;
  /** Continues in another session. Resolves with the reason if it can't be opened. */
  readonly switchTo: (session: string) => Promise<string | undefined>;
};
