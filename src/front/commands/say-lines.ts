/** Says lines of which each may come from a model, a file or a server: none of them acts on the terminal (GT-20). */

import { stripControls } from '../../gate/permissions/strip-controls.js';

export function sayLines(say: (line: string) => void, lines: readonly string[]): void {
  for (const line of lines) say(stripControls(line));
}
