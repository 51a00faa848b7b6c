/** `/skills`, and the skills in `/help`. */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import type { CommandContext } from '../command-context.js';

const LONGEST = 100;

export async function listSkills({ session, say }: CommandContext): Promise<void> {
  const listed = await session.execute({ type: 'skills' });
  if (!listed.ok) return say(stripControls(listed.reason));
  if (listed.skills.length === 0) {
    return say(
      'No skills or commands. Create a skill as .claude/skills/NAME/SKILL.md, a command as .claude/commands/NAME.md.',
    );
  }
  for (const { name, kind, description, argumentHint = '', scope, forPerson, forModel } of listed.skills) {
    const use = forPerson ? `/${name} ${argumentHint}`.trim() : name;
    const who = forPerson && forModel ? '' : forPerson ? ', only you' : ', only the model';
    say(`  ${escapeToLine(use)}  (${kind}, ${scope}${who})  ${shorten(escapeToLine(description))}`);
  }
}

/** Prints the names that can be typed. */
export async function printTypable({ session, say }: CommandContext): Promise<void> {
  const listed = await session.execute({ type: 'skills' });
  const names = listed.ok ? listed.skills.filter(({ forPerson }) => forPerson).map(({ name }) => `/${name}`) : [];
  if (names.length === 0) return;
  const more = names.length > 20 ? ` and ${names.length - 20} more (/skills lists them)` : '';
  say(`Skills and commands: ${escapeToLine(names.slice(0, 20).join(', '))}${more}`);
}

function shorten(line: string): string {
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
