/** The description of the Skill tool. Fixed when the session begins; later changes are announced in reminders. */

export function describeSkillTool(lines: readonly string[], cut: number): string {
  return [
    `Takes up a skill: instructions for a kind of task, written by the person, their project or a plugin. Its text joins the conversation and is to be followed. When a task fits one of them, use it before you begin. A skill that was taken up already needs no second call. What the person types as /name is taken up for them: don't call it again.`,
    lines.length === 0
      ? 'There are none yet; a reminder names those that come.'
      : `Skills:\n${lines.join('\n')}${cut > 0 ? `\n(${cut} stand without description: SearchListing shows it.)` : ''}`,
  ].join('\n\n');
}
