/** To come. */

import type { CommandOf } from '../../protocol/commands.js';
import type { ListedFiles } from '../commands/command-results.js';
import type { Engine } from '../engine.js';

export async function listFiles(_engine: Engine, _command: CommandOf<'list-files'>): Promise<ListedFiles> {
  return { ok: false, reason: 'not there yet' };
}
