/** The visible part of many rows. Pure: a page passes the counts and the keys. */

export type Scroll = {
  /** The first row that is shown. */
  readonly top: number;
  /** At the end, and staying there when rows are added. */
  readonly follows: boolean;
};

export const AT_TOP: Scroll = { top: 0, follows: false };
export const AT_END: Scroll = { top: Number.MAX_SAFE_INTEGER, follows: true };

/** Clamps the position to the current rows. */
export function settle(scroll: Scroll, count: number, height: number): Scroll {
  const last = Math.max(0, count - height);
  if (scroll.follows) return { top: last, follows: true };
  return { top: Math.max(0, Math.min(scroll.top, last)), follows: false };
}

/** Down is positive. At the end of a growing text, the view follows it. */
export function scrollBy(scroll: Scroll, by: number, count: number, height: number, canFollow = false): Scroll {
  const { top } = settle(scroll, count, height);
  const next = settle({ top: top + by, follows: false }, count, height);
  const isAtEnd = next.top >= count - height;
  return canFollow && by > 0 && isAtEnd ? { top: next.top, follows: true } : next;
}

/** Scrolls to a row if it is out of view, placing it a third from the top. */
export function bringIntoView(scroll: Scroll, row: number, count: number, height: number): Scroll {
  const { top } = settle(scroll, count, height);
  if (row >= top && row < top + height) return { top, follows: false };
  return settle({ top: row - Math.floor(height / 3), follows: false }, count, height);
}

/** The distance a key scrolls; undefined: not a scroll key. `home` and `end` go all the way. */
export function scrollKey(name: string, height: number): number | 'home' | 'end' | undefined {
  switch (name) {
    case 'up':
    case 'k':
    case 'ctrl+p':
      return -1;
    case 'down':
    case 'j':
    case 'ctrl+n':
    case 'enter':
      return 1;
    case 'pageup':
    case 'ctrl+b':
    case 'b':
      return -Math.max(1, height - 2);
    case 'pagedown':
    case 'ctrl+f':
    case 'space':
      return Math.max(1, height - 2);
    case 'ctrl+u':
      return -Math.max(1, height >> 1);
    case 'ctrl+d':
      return Math.max(1, height >> 1);
    case 'home':
    case 'g':
      return 'home';
    case 'end':
    case 'G':
      return 'end';
    default:
      return undefined;
  }
}
