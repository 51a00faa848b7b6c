/** The skills and commands of a session, for clients: to list them, and for completion. */

import type { SessionSkills } from '../../agents/skills/session-skills.js';
export type SkillReport = {
  readonly name: string;
  readonly kind: 'skill' | 'command';
  readonly description: string;
  readonly argumentHint?: string;
  /** `user`, `project`, `plugin`, `managed`. */
  readonly scope: string;
  readonly file: string;
  /** It can be typed as `/name`. */
  readonly forPerson: boolean;
  readonly forModel: boolean;
};

export function reportSkills(skills: SessionSkills): readonly SkillReport[] {
  const reports = skills.list().map(
    ({ name, kind, description, argumentHint, source, userInvocable, modelInvocable }): SkillReport => ({
      name,
      kind,
      description,
      ...(argumentHint === undefined ? {} : { argumentHint }),
      scope: source.scope,
      file: source.file,
      forPerson: userInvocable,
      forModel: modelInvocable,
    }),
  );
  return reports.sort((a, b) => (a.name < b.name ? -1 : 1));
}
