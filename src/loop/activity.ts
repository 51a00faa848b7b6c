/** Counts an agent's open calls, those of them that only wait for a child, and knows which can go on in the background. */

export class Activity {
  /** Calls made so far. */
  made = 0;
  #open = 0;
  #waiting = 0;
  #onChange: () => void = () => {};
  readonly #movable = new Map<string, () => void>();

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

  /** The call can go on in the background. Returns how to take that back. */
  registerMovable(call: string, moveToBackground: () => void): () => void {
    this.#movable.set(call, moveToBackground);
    return () => void this.#movable.delete(call);
  }

  /** Lets a call, or all that can, go on in the background. Returns how many. */
  move(call?: string): number {
    const meant = [...this.#movable].filter(([id]) => call === undefined || id === call);
    for (const [id, move] of meant) {
      this.#movable.delete(id);
      move();
    }
    return meant.length;
  }
}
