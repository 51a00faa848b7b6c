/** Runs `coppice` at a terminal: paints first, then opens the session, and continues until the user leaves. */

import { nodeHost } from '../../../host/node-host.js';
import type { Session } from '../../sdk/session.js';
import { OpeningStage } from '../../tui/app/opening-stage.js';
import { Ui } from '../../tui/app/ui.js';
import { EXIT, exitOf } from '../exit-code.js';
import type { Flags } from '../flags.js';
import { Leaving } from './leaving.js';

/** Another source of keys that follows the sessions: the demo. */
export type Player = { readonly input: NodeJS.ReadStream; readonly onSession: (session: Session) => void };

export async function runTerminal(firstPrompt: string | undefined, flags: Flags, player?: Player): Promise<number> {
  const { stdin, stdout: output, env } = process;
  const input = player?.input ?? stdin;
  const leaving = new Leaving();
  const ui = new Ui({
    input,
    output,
    env,
    // A closed terminal is like a hang-up.
    onEnding: (ending) =>
      leaving.leave(ending === 'lost' ? exitOf('SIGHUP') : ending === 'SIGINT' ? EXIT.interrupted : exitOf(ending)),
  });
  const opening = new OpeningStage(ui, leaving.leave, firstPrompt);
  ui.start(opening);
  try {
    // Everything else is loaded after the first paint.
    const { runSessions } = await import('./run-sessions.js');
    return await runSessions({
      ui,
      opening,
      flags,
      leaving,
      host: nodeHost(process.cwd()),
      onSession: player?.onSession,
    });
  } finally {
    ui.stop();
  }
}
