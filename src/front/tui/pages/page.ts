/** A view on the alternate screen: a transcript, a diff, a list. The conversation stays as it is below. */

import type { KeyEvent } from '../input/key-event.js';
import type { Frame, Size } from '../screen/frame.js';

export type Page = {
  /** Every row of the screen; `now` is from `realClock.elapsed()`. */
  frame(size: Size, now: number): Frame;
  press(event: KeyEvent): void;
  /** True if it shows a question that gets keys first. */
  readonly asks?: boolean;
  /** Called when it leaves the screen: releases what it watches. */
  closed?(): void;
};

/** The services of the terminal for pages. */
export type PageHost = {
  /** Opens this page over the current one. */
  open(page: Page): void;
  /** Closes the topmost page. */
  close(): void;
  /** Something changed: repaint soon. */
  paint(): void;
  /** Copies text; resolves with a message (`copied`, `sent to the terminal`). */
  copy(text: string): Promise<string>;
  /** Shows text in the user's pager. */
  page(text: string): Promise<void>;
};
