/** The flags of `coppice acp`: those of a session. The code is loaded when it runs. */

import type { Command } from 'commander';
import { addSessionFlags } from '../flags.js';

export function addAcpFlags(acp: Command, setExit: (code: number) => void): void {
  addSessionFlags(acp).action(async (flags) => setExit(await (await import('./run-acp.js')).runAcp(flags)));
}
