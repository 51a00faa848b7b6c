/** Lists of commands as data: one a line, `⏎` for a line break within one. */

import { readFileSync } from 'node:fs';

export function readLines(file: URL): readonly string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replaceAll('⏎', '\n'));
}
