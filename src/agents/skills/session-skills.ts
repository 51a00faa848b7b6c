/** The skills of a session as its agents see them. Replaced as a whole between prompts. */

import type { Skill } from '../../config/skills/skill.js';
import type { UserBlock } from '../../protocol/blocks.js';
import type { Announcements } from '../../protocol/events.js';
import { nearestNames } from '../../tools/nearest-names.js';

export interface SessionSkills {
  /** All active skills, including those that only the user may use. */
  list(): readonly Skill[];
  find(name: string): Skill | undefined;
  /** The skills listed to the model at the start. `nameOnly`: without a description. */
  listed(): readonly { readonly skill: Skill; readonly nameOnly: boolean }[];
  /** The reason why an existing skill that `find` does not return can't be used; undefined if there is none. */
  refusal(name: string): string | undefined;
  /**
   * Skills that a file activates: by their `paths`, or because they are in a folder between the working folder and the
   * file.
   */
  touched(file: string): Promise<readonly Skill[]>;
}

/** Avoids loading anything where there are no skills. */
export const NO_SKILLS: SessionSkills = {
  list: () => [],
  find: () => undefined,
  listed: () => [],
  refusal: () => undefined,
  touched: async () => [],
};

/** Explains to a model why `find` returned nothing. */
export function explainNoSkill(skills: SessionSkills, name: string): string {
  const refusal = skills.refusal(name);
  if (refusal !== undefined) return refusal;
  const near = nearestNames(
    name,
    skills.list().map((skill) => skill.name),
  );
  return `There is no skill or command "${name}".${near.length > 0 ? ` Nearest: ${near.join(', ')}.` : ''}`;
}

/** A skill typed by the user as `/name`, distinguished from a model's use by its call id, which no model can know. */
export type TypedSkill = {
  /** The blocks for the conversation; undefined until they are ready. */
  blocks?: readonly UserBlock[];
  /** The announcements in them, so that the same text is not repeated. */
  announcements?: Announcements;
  /** Applies its rules and model from here on, for the turn of the prompt. */
  begin?: () => Promise<void>;
};
