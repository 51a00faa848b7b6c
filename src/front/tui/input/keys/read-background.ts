/** The colour of the terminal's background, out of its answer to OSC 11. */

import type { KeyEvent } from '../key-event.js';

export function readBackground(answer: string): KeyEvent | undefined {
  const rgb = /^11;rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})(?:\/[0-9a-f]{1,4})?$/i.exec(answer);
  const hash = /^11;#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(answer);
  const [, red, green, blue] = rgb ?? hash ?? [];
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  return { kind: 'background', red: shareOf(red), green: shareOf(green), blue: shareOf(blue) };
}

function shareOf(digits: string): number {
  return Number.parseInt(digits, 16) / (16 ** digits.length - 1);
}
