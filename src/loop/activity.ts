/** Tracks an agent's open calls: which of them only wait for a child, and which can move to the background. */

export class Activity {
  /** Calls made so far. */
  made = 0;
  #open = 0;
  #waiting = 0;
  #onChange: () => void = () => {};
  readonly #movable = new Map<string, () => void>();

  /** True if every open call is waiting for a child. */
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

  /** Registers a call that can move to the background. Returns a function that undoes this. */
  registerMovable(call: string, move: () => void): () => void {
    this.#movable.set(call, move);
    return () => void this.#movable.delete(call);
  }

  /** Moves one call, or all that can, to the background. Returns how many moved. */
  moveToBackground(call?: string): number {
    const moving = [...this.#movable].filter(([id]) => call === undefined || id === call);
    for (const [id, move] of moving) {
      this.#movable.delete(id);
      move();
    }
    return moving.length;
  }
}
