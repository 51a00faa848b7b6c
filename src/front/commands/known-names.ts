/** Whether something is meant by a `/name` that is no command of ours: a skill, a command of the person's, a server's prompt. */

import { stripToLine } from '../../gate/permissions/strip-unsafe.js';
import { nearestNames } from '../../tools/nearest-names.js';
import type { Session } from '../sdk/session.js';
import { listCommands } from './commands.js';

/** The reason why a line is not sent: nothing has this name. Undefined: it can be sent. A path is no name. */
export async function whyUnknown(line: string, session: Session): Promise<string | undefined> {
  const name = /^\/([A-Za-z?][\w:-]*)(?:\s|$)/.exec(line.trimStart())?.[1];
  if (name === undefined) return undefined;
  const [skills, prompts] = await Promise.all([
    session.execute({ type: 'skills' }),
    session.execute({ type: 'server-prompts' }),
  ]);
  const others = [
    ...(skills.ok ? skills.skills.map((skill) => skill.name) : []),
    ...(prompts.ok ? prompts.prompts.map((prompt) => prompt.name) : []),
  ];
  if (others.includes(name)) return undefined;
  const names = [...listCommands().map((command) => command.name), ...others];
  const near = nearestNames(name, names, 3).map((one) => `/${stripToLine(one)}`);
  return `There is no /${name}${near.length === 0 ? '' : `: did you mean ${near.join(', ')}?`} (/help lists them; nothing was sent)`;
}
