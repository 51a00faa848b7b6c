/** A run that has ended, as it stood then: the next run of the same agent changes nothing of it. */

import type { Member } from '../live-agent.js';
import type { AgentResult } from './result.js';

export type EndedResult = Exclude<AgentResult, { readonly status: 'async_launched' }>;

export type EndedRun = {
  readonly run: number;
  readonly state: Member['state'];
  /** Nobody waited for it when it ended. */
  readonly background: boolean;
  readonly result: EndedResult;
};
