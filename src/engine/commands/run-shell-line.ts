/** To come. */

import type { CommandOf } from '../../protocol/commands.js';
import type { Engine } from '../engine.js';
import type { CalledTool } from './command-results.js';

export async function runShellLine(_engine: Engine, _command: CommandOf<'shell'>): Promise<CalledTool> {
  return { ok: false, reason: 'not there yet' };
}
