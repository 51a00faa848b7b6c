/** A view on the alternate screen: a transcript, a diff, a list to choose from. The conversation stays as it is below. */

import type { KeyEvent } from '../input/key-event.js';
import type { Frame, Size } from '../screen/frame.js';

export type Page = {
  /** Every row of the screen; `now` is from `realClock.elapsed()`. */
  frame(size: Size, now: number): Frame;
  press(event: KeyEvent): void;
  /** Whether a question stands on it, and gets its keys first. */
  readonly asks?: boolean;
  /** It is not on the screen any more: what it watched is let go. */
  closed?(): void;
};

/** What a page may ask of the terminal. */
export type PageHost = {
  /** Shows this page: it lies on the one before. */
  open(page: Page): void;
  /** Takes the topmost page off. */
  close(): void;
  /** Something changed: paint when there is time. */
  paint(): void;
  /** Copies text; resolves with what to say (`copied`, `sent to the terminal`). */
  copy(text: string): Promise<string>;
  /** Shows text in the person's pager. */
  page(text: string): Promise<void>;
};
