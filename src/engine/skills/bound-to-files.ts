/** True if a skill allows files of its own folder: with another script there, it is another skill. */

import type { Skill } from '../../config/skills/skill.js';

export function namesOwnFiles({ allowedTools, folder }: Skill): boolean {
  return allowedTools.some((rule) => rule.includes('CLAUDE_SKILL_DIR') || rule.includes(folder));
}
