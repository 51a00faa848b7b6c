/** The parts of a skill that need approval, and the outcome. */

import type { Skill } from '../../config/skills/skill.js';
import type { LiveAgent } from '../live-agent.js';

export type SkillToApprove = {
  readonly agent: LiveAgent;
  readonly skill: Skill;
  /** Rules it would allow, in effective form. */
  readonly allow: readonly string[];
  /** Typed by the user, which approves the rules it allows. */
  readonly isTyped: boolean;
};

/** `tools`: the rules it allows apply. The port itself handles its hooks. */
export type SkillApproval = { readonly tools: boolean };
