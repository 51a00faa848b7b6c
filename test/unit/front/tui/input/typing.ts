/** Typed input, for tests. */

import type { KeyEvent, NamedKey } from '../../../../../src/front/tui/input/key-event.js';
import { KeyReader } from '../../../../../src/front/tui/input/read-keys.js';
import { ManualClock } from '../../../../support/hosts/manual-clock.js';

/** A key by its name; one character, and the space, type themselves. */
export function press(name: string): NamedKey {
  if (name === 'space') return { kind: 'key', name, text: ' ' };
  return [...name].length === 1 ? { kind: 'key', name, text: name } : { kind: 'key', name };
}

export function reading() {
  const presses: KeyEvent[] = [];
  const clock = new ManualClock();
  return { presses, clock, reader: new KeyReader((event) => presses.push(event), clock) };
}

/** All key events from these bytes, in pieces of this size. */
export function readAll(data: string, size = data.length): readonly KeyEvent[] {
  const { reader, presses } = reading();
  for (let at = 0; at < data.length; at += size) reader.push(data.slice(at, at + size));
  reader.close();
  return presses;
}
