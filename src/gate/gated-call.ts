/** A tool call as the gate sees it, the gate's answers, and the rules of a session. */

import type { Action } from '../protocol/action.js';
import type { Decision } from '../protocol/permission.js';
import type { View } from './sandbox/sandbox.js';

/** A parsed call, with the actions its tool declares. */
export type GatedCall = {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly actions: readonly Action[];
};

/** A decision by rules and mode. */
export type Judgement = {
  readonly decision: Decision;
  /** The real path of each declared path when it was judged; only that may be opened. */
  readonly realPaths: ReadonlyMap<string, string>;
  /** What was prepared for the sandbox, if it is allowed to run with the limits of one. */
  readonly box?: View;
};

/** The reason why a call needs permission. Firm: only the user, or the host acting for the user, can allow it (GT-30). */
export type AskReason = {
  readonly reason: string;
  readonly firm?: true;
  /** The folder would have to be trusted: no rule of the settings helps. */
  readonly needsTrust?: true;
};

/** An answer by a hook or a user; `by` names which. */
export type GateAnswer =
  | {
      readonly behavior: 'allow';
      readonly by: string;
      readonly updatedInput?: unknown;
      /** The user changed the input: it is judged again, but not asked about again. */
      readonly isTheirs?: true;
    }
  | {
      readonly behavior: 'deny';
      readonly by: string;
      readonly reason: string;
      /** Also end the run. */
      readonly interrupt?: boolean;
      /** Nobody could be asked, so nobody said no: the run ends with this. */
      readonly conclusion?: string;
    };

/** A plan that the user accepted: this text, for this call. */
export type AcceptedPlan = {
  readonly call: string;
  readonly sha256: string;
  /** The user changed it. */
  readonly isEdited: boolean;
  /** The mode in which the session continues. */
  readonly mode: 'default' | 'acceptEdits';
};
