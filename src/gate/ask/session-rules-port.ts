/** The rules of a session: those of the settings, and those the person added while it ran. */

import type { Rule } from '../permissions/rules/rule.js';

export interface SessionRules {
  all(): readonly Rule[];
  /** A deny rule names this type of agent. */
  isTypeDenied(type: string): boolean;
  /** From now on, in this session or, on request, in the project's local settings as well; a line is why not there. */
  allow(rule: string, where: 'session' | 'local'): Promise<string | undefined>;
}
