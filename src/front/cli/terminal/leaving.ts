/** Ends a session when the user leaves or a signal arrives: interrupts the work, then closes the session. */

import type { Session } from '../../sdk/session.js';
import { EXIT } from '../exit-code.js';

export class Leaving {
  #abort = new AbortController();
  code: number = EXIT.done;
  session: Session | undefined;

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** A second request while it closes ends the program at once. Recorded events are safe. */
  readonly leave = (code: number): void => {
    if (this.signal.aborted) process.exit(code);
    this.code = code;
    this.#abort.abort();
    this.session?.interrupt();
  };

  /** Also cancels a last question. */
  asAgain(): AbortSignal {
    this.#abort = new AbortController();
    return this.#abort.signal;
  }
}
