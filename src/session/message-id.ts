/** The id of a message, as clients name it: it follows from the record, so that it means the same after a resume. */

import { idOfName } from '../host/name-id.js';

/** `seq`: the record in the agent's transcript; `part`: which block of it, for a reply that is told block by block. */
export function messageId(session: string, agent: string, seq: number, part = 0): string {
  return idOfName(`${session}/${agent}/${seq}/${part}`);
}
