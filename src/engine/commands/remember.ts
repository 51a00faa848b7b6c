/** To come. */

import type { CommandOf } from '../../protocol/commands.js';
import type { Engine } from '../engine.js';
import type { Remembered } from './command-results.js';

export async function remember(_engine: Engine, _command: CommandOf<'remember'>): Promise<Remembered> {
  return { ok: false, reason: 'not there yet' };
}
