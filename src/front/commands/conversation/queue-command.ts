/** Not there yet. */

import type { CommandContext } from '../command-context.js';

export async function runQueue({ say }: CommandContext, _words: string): Promise<void> {
  say('Not there yet.');
}
