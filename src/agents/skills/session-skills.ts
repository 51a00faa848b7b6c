/** The skills of a session as its agents see them. Replaced as a whole between the person's prompts. */

import type { Skill } from '../../config/skills/skill.js';
import type { UserBlock } from '../../protocol/blocks.js';
import type { Announcements } from '../../protocol/events.js';

export interface SessionSkills {
  /** All that count now, also those that only the person may use. */
  list(): readonly Skill[];
  find(name: string): Skill | undefined;
  /** What a model is told of from the beginning. `nameOnly`: without its description. */
  listed(): readonly { readonly skill: Skill; readonly nameOnly: boolean }[];
  /** Why there is none of this name, with what to do. */
  whyNone(name: string): string;
  /** Those that a file makes known: by their `paths`, or because they lie below the working folder on the way to it. */
  touched(file: string): Promise<readonly Skill[]>;
}

/** Nothing of skills is loaded where there are none. */
export const NO_SKILLS: SessionSkills = {
  list: () => [],
  find: () => undefined,
  listed: () => [],
  whyNone: (name) => `There is no skill or command "${name}".`,
  touched: async () => [],
};

/** How the person's own use of a skill, typed as `/name`, is told from a model's: by the id of its call, which no model can know. */
export type TypedSkill = {
  /** What the conversation gets; undefined until it is there. */
  blocks?: readonly UserBlock[];
  /** What they tell, so that the same text is not said twice. */
  tells?: Announcements;
  /** Its rules and model are for the turn of the prompt: from here on. */
  begin?: () => Promise<void>;
};
