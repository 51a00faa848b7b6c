/** stub */
import type { Press } from '../input/press.js';
import type { Frame } from '../screen/frame.js';

export class HistorySearch {
  isOpen = false;
  open(): void {}
  press(_press: Press): void {}
  frame(_width: number, _most: number): Frame { return { rows: [] }; }
}
