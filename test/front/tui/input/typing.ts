/** What a person types, for tests. */

import type { KeyPress, Press } from '../../../../src/front/tui/input/press.js';
import { KeyReader } from '../../../../src/front/tui/input/read-keys.js';
import { ManualClock } from '../../../support/hosts/manual-clock.js';

/** A key by its name; one character, and the space, type themselves. */
export function press(name: string): KeyPress {
  if (name === 'space') return { kind: 'key', name, text: ' ' };
  return [...name].length === 1 ? { kind: 'key', name, text: name } : { kind: 'key', name };
}

export function reading() {
  const presses: Press[] = [];
  const clock = new ManualClock();
  return { presses, clock, reader: new KeyReader((press) => presses.push(press), clock) };
}

/** Everything that was pressed when these bytes come, in pieces of this size. */
export function readAll(data: string, size = data.length): readonly Press[] {
  const { reader, presses } = reading();
  for (let at = 0; at < data.length; at += size) reader.push(data.slice(at, at + size));
  reader.close();
  return presses;
}
