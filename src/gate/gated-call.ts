/** A tool call as the gate sees it, and what it says about one. */

import type { Action } from '../protocol/action.js';
import type { Decision } from '../protocol/permission.js';
import type { Rule } from './permissions/rules/rule.js';

/** Parsed, with what the tool declares it is about to do. */
export type GatedCall = {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly actions: readonly Action[];
};

/** By rules and mode. */
export type Judgement = {
  readonly decision: Decision;
  /** Where each declared path led when it was judged: what is opened must be that. */
  readonly realPaths: ReadonlyMap<string, string>;
};

/** By a hook or a person. `by` says who. */
export type GateAnswer =
  | { readonly behavior: 'allow'; readonly by: string; readonly updatedInput?: unknown }
  | {
      readonly behavior: 'deny';
      readonly by: string;
      readonly reason: string;
      /** End the run as well. */
      readonly interrupt?: boolean;
    };

/** The rules of a session: those of the settings, and those the person added while it ran. */
export interface SessionRules {
  all(): readonly Rule[];
  /** A deny rule names this type of agent. */
  isAgentDenied(type: string): boolean;
  /**
   * Allows it from now on: in this session or, on request, in the project's local settings as well. Returns the reason
   * when it could not be saved there; it holds for the session all the same.
   */
  allow(rule: string, where: 'session' | 'local'): Promise<string | undefined>;
}
