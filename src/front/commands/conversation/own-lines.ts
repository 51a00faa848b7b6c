/** Not there yet. */

import type { CommandContext } from '../command-context.js';

export async function runOwnLine(_line: string, { say }: CommandContext): Promise<void> {
  say('Not there yet.');
}
