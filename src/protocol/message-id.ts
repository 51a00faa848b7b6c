/** The id of a message, as clients name it: it follows from the record, so that it means the same after a resume. */

import { v5 } from 'uuid';

const NAMESPACE = '6f1d2c9e-3b52-5d0a-9c1e-7a4d0c8f2b16';

/** `seq`: the record in the agent's transcript; `part`: which block of it, for a reply that is told block by block. */
export function messageId(session: string, agent: string, seq: number, part = 0): string {
  return v5(`${session}/${agent}/${seq}/${part}`, NAMESPACE);
}
