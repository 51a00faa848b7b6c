/** The person leaves, or the system wants the program to end: the work is interrupted, then the session is closed. */

import type { Session } from '../../sdk/session.js';
import { EXIT } from '../exit-code.js';

export class Leaving {
  #abort = new AbortController();
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

  /** A last question can be left, too. */
  asAgain(): AbortSignal {
    this.#abort = new AbortController();
    return this.#abort.signal;
  }
}
