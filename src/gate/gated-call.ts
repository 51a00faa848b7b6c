/** A tool call as the gate sees it, the gate's answers, and the rules of a session. */

import type { Action } from '../protocol/action.js';
import type { Decision } from '../protocol/permission.js';
import type { Rule } from './permissions/rules/rule.js';

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
};

/** An answer by a hook or a person; `by` names which. */
export type GateAnswer =
  | { readonly behavior: 'allow'; readonly by: string; readonly updatedInput?: unknown }
  | {
      readonly behavior: 'deny';
      readonly by: string;
      readonly reason: string;
      /** Also end the run. */
      readonly interrupt?: boolean;
    };

/** The rules of a session: from settings, and added by the person while it runs. */
export interface SessionRules {
  all(): readonly Rule[];
  /** Whether a deny rule names this type of agent. */
  isAgentDenied(type: string): boolean;
  /**
   * Allows it from now on in this session and, if requested, in the project's local settings. Returns the reason if it
   * could not be saved there; it still applies to the session.
   */
  allow(rule: string, where: 'session' | 'local'): Promise<string | undefined>;
}
