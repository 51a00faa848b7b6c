/** Not there yet. */

import type { CommandContext } from '../command-context.js';

export async function copyReply({ say }: CommandContext, _words: string): Promise<void> {
  say('Not there yet.');
}
