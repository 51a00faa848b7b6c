/** What must be approved of a skill, and what that comes to. */

import type { Skill } from '../../config/skills/skill.js';
import type { LiveAgent } from '../live-agent.js';

export type SkillToApprove = {
  readonly agent: LiveAgent;
  readonly skill: Skill;
  /** Rules it wants to allow, as they would count. */
  readonly allow: readonly string[];
  /** The person typed it: what it allows needs no other word of theirs. */
  readonly isTyped: boolean;
};

/** `tools`: what it allows counts. Whether its hooks run from now on, the port sees to itself. */
export type SkillApproval = { readonly tools: boolean };
