/** The id of a message for clients: derived from its record, so that it is the same after a resume. */

import { v5 } from 'uuid';

/** `seq`: the record in the agent's transcript; `part`: the block, for a reply that is printed block by block. */
export function messageId(session: string, agent: string, seq: number, part = 0): string {
  return idOfName(`${session}/${agent}/${seq}/${part}`);
}

const NAMESPACE = '6f1d2c9e-3b52-5d0a-9c1e-7a4d0c8f2b16';

/** Ids derived from a name: the same name always gives the same id. */
function idOfName(name: string): string {
  return v5(name, NAMESPACE);
}
