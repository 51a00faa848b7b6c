/** The id of a message for clients: derived from its record, so that it is the same after a resume. */

import { idOfName } from '../host/name-id.js';

/** `seq`: the record in the agent's transcript; `part`: the block, for a reply that is printed block by block. */
export function messageId(session: string, agent: string, seq: number, part = 0): string {
  return idOfName(`${session}/${agent}/${seq}/${part}`);
}
