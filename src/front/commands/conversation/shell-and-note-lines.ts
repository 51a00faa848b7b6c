/** Shell and note lines: `!` runs a command of the user, `#` saves a line to instructions or memory (SF-16). */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { newRandomId } from '../../../host/node-host.js';
import type { CommandContext } from '../command-context.js';

type Context = Pick<CommandContext, 'session' | 'say' | 'ask' | 'work'>;

/** Expects a line for which `isShellOrNote` is true. */
export async function runShellOrNoteLine(line: string, context: Context): Promise<void> {
  const text = line.trim().slice(1).trim();
  return line.trimStart().startsWith('!') ? runShell(context, text) : remember(context, text);
}

async function runShell({ session, say, work }: Context, command: string): Promise<void> {
  const call = `typed-${newRandomId()}`;
  const running = session.execute({ type: 'shell', call, command });
  const ran = await work(running, () => void session.execute({ type: 'cancel-call', call }));
  if (!ran.ok) return say(`Not run: ${stripControls(ran.reason)}`);
  const printed = ran.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  say(stripControls(printed.replace(/\n$/, '') || '(no output)'));
}

const FILES = [
  { where: 'project', what: 'CLAUDE.md: this project, shared with everyone in it' },
  { where: 'local', what: 'CLAUDE.local.md: this project, only you' },
  { where: 'user', what: 'your CLAUDE.md: all projects' },
  { where: 'agent', what: 'memory: the agent that this session runs as' },
] as const;

async function remember({ session, say, ask }: Context, text: string): Promise<void> {
  for (const [index, { what }] of FILES.entries()) say(`  ${index + 1}  ${what}`);
  const answer = (await ask('Save to which file? (Enter cancels)'))?.trim() ?? '';
  const chosen = FILES.find(({ where }, index) => answer === String(index + 1) || answer.toLowerCase() === where);
  if (chosen === undefined) return say('Nothing saved.');
  const done = await session.execute({ type: 'remember', text, where: chosen.where });
  say(stripControls(done.ok ? `Saved to ${done.file}.` : `Not saved: ${done.reason}`));
}
