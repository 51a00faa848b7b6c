/** What a person does themselves: `!` and a line for the shell, `#` and a line for instructions or memory (SF-16). */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { newRandomId } from '../../../host/node-host.js';
import type { CommandContext } from '../command-context.js';

type Context = Pick<CommandContext, 'session' | 'say' | 'ask' | 'work'>;

/** `line` is one of them (`isOwnLine`). */
export async function runShellOrNoteLine(line: string, context: Context): Promise<void> {
  const words = line.trim().slice(1).trim();
  return line.trimStart().startsWith('!') ? runShell(context, words) : remember(context, words);
}

async function runShell({ session, say, work }: Context, command: string): Promise<void> {
  const call = `typed-${newRandomId()}`;
  const running = session.execute({ type: 'shell', call, command });
  const ran = await work(running, () => void session.execute({ type: 'cancel-call', call }));
  if (!ran.ok) return say(`It was not run: ${stripControls(ran.reason)}`);
  const printed = ran.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  say(stripControls(printed.replace(/\n$/, '') || '(nothing printed)'));
}

const PLACES = [
  { where: 'project', what: 'CLAUDE.md of this project, for everyone who works in it' },
  { where: 'local', what: 'CLAUDE.local.md: this project, only you' },
  { where: 'user', what: 'your own CLAUDE.md, for all projects' },
  { where: 'agent', what: 'the memory of the agent that this session runs as' },
] as const;

async function remember({ session, say, ask }: Context, text: string): Promise<void> {
  for (const [index, { what }] of PLACES.entries()) say(`  ${index + 1}  ${what}`);
  const answer = (await ask('where is it to be kept? (Enter: nowhere)'))?.trim() ?? '';
  const place = PLACES.find(({ where }, index) => answer === String(index + 1) || answer.toLowerCase() === where);
  if (place === undefined) return say('Nothing was written.');
  const done = await session.execute({ type: 'remember', text, where: place.where });
  say(stripControls(done.ok ? `Written to ${done.file}.` : `Nothing was written: ${done.reason}`));
}
