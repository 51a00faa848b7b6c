/** The pages over the conversation: the topmost is shown and gets the keys. */

import { realClock } from '../../../host/clock.js';
import type { KeyEvent } from '../input/key-event.js';
import type { Page } from '../pages/page.js';
import type { Screen } from '../screen/screen.js';

export class PageStack {
  readonly #screen: Screen;
  readonly #pages: Page[] = [];

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  get isOpen(): boolean {
    return this.#pages.length > 0;
  }

  /** True if the topmost has a question that gets the keys. */
  get asks(): boolean {
    return this.#pages.at(-1)?.asks === true;
  }

  open(page: Page): void {
    this.#pages.push(page);
    if (this.#pages.length > 1) return void this.#screen.paint(true);
    this.#screen.openPage((size) => this.#pages.at(-1)?.frame(size, realClock.elapsed()) ?? { rows: [] });
  }

  close(): void {
    this.#pages.pop()?.closed?.();
    if (this.#pages.length === 0) this.#screen.closePage();
    else this.#screen.paint(true);
  }

  closeAll(): void {
    while (this.isOpen) this.close();
  }

  press(event: KeyEvent): void {
    this.#pages.at(-1)?.press(event);
  }
}
