/** `/agents`: the kinds of agents that the main agent may start, as their files are now. */

import { escapeToLine } from '../../../protocol/escape-controls.js';
import { plural } from '../../../protocol/format-numbers.js';
import type { CommandContext } from '../command-context.js';

const LONGEST = 160;

export async function listKinds({ session, say }: Pick<CommandContext, 'session' | 'say'>): Promise<void> {
  const listed = await session.execute({ type: 'agents', fresh: true });
  if (!listed.ok) return say(escapeToLine(listed.reason));
  for (const { name, description, model, scope, file } of listed.agents) {
    const words = description.replace(/\s+/g, ' ').trim();
    say(escapeToLine(`  ${name}  (${file === '' ? scope : `${scope}: ${file}`}), model ${model}`));
    say(escapeToLine(`    ${words.length > LONGEST ? `${words.slice(0, LONGEST - 1).toWellFormed()}…` : words}`));
  }
  if (listed.agents.length === 0) say('There are none: a file .claude/agents/NAME.md makes one.');
  const atWork = session.snapshot().filter(({ parent }) => parent !== undefined).length;
  if (atWork > 0) say(`(${plural(atWork, 'agent was', 'agents were')} started in this session: /tasks)`);
}
