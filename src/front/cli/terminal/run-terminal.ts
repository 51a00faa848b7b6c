/** `coppice` at a terminal: paints first, then opens the session, and goes on until the person leaves. */

import { nodeHost } from '../../../host/node-host.js';
import type { Session } from '../../sdk/session.js';
import { Opening } from '../../tui/app/opening.js';
import { Ui } from '../../tui/app/ui.js';
import { defaultKeymap } from '../../tui/input/keymap.js';
import { EXIT, exitOf } from '../exit-code.js';
import type { Flags } from '../flags.js';

export async function runTerminal(firstPrompt: string | undefined, flags: Flags): Promise<number> {
  const { stdin: input, stdout: output, env } = process;
  const ui = new Ui({ input, output, env, keymap: defaultKeymap(env) });
  const leaving = new Leaving();
  const opening = new Opening(ui, leaving.leave, firstPrompt);
  const terminate = (signal: NodeJS.Signals) => leaving.leave(exitOf(signal));
  const interrupt = () => leaving.leave(EXIT.interrupted);
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, terminate);
  process.on('SIGINT', interrupt);
  ui.start(opening);
  try {
    // Everything else is loaded once there is something to see.
    const { converse } = await import('./converse.js');
    return await converse({ ui, opening, flags, leaving, host: nodeHost(process.cwd()) });
  } finally {
    ui.stop();
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.off(signal, terminate);
    process.off('SIGINT', interrupt);
  }
}

/** The person leaves, or the system wants the program to end: the work is interrupted, then the session is closed. */
export class Leaving {
  readonly #abort = new AbortController();
  code: number = EXIT.done;
  session: Session | undefined;

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Once more while it closes: the program ends at once. What is on record is kept. */
  readonly leave = (code: number): void => {
    if (this.signal.aborted) process.exit(code);
    this.code = code;
    this.#abort.abort();
    this.session?.interrupt();
  };
}
