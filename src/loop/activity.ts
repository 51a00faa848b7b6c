/** Counts an agent's open calls, and those of them that only wait for a child. */

export class Activity {
  /** Calls made so far. */
  made = 0;
  #open = 0;
  #waiting = 0;
  #onChange: () => void = () => {};

  /** All open calls wait for a child. */
  get onlyWaits(): boolean {
    return this.#waiting > 0 && this.#waiting === this.#open;
  }

  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  callOpened(): void {
    this.made += 1;
    this.#change(1, 0);
  }

  callClosed(): void {
    this.#change(-1, 0);
  }

  waitBegan(): void {
    this.#change(0, 1);
  }

  waitEnded(): void {
    this.#change(0, -1);
  }

  #change(open: number, waiting: number): void {
    this.#open += open;
    this.#waiting += waiting;
    this.#onChange();
  }
}
