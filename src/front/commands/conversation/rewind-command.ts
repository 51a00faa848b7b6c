/** `/rewind`: which prompt, which part, what it would change, what becomes of agents at work; then it is done (TU-24). */

import type { PromptReport } from '../../../engine/commands/command-results.js';
import { stripControls, stripToLine } from '../../../gate/permissions/strip-controls.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import { age, plural } from '../../../protocol/format-numbers.js';
import { describeRewound, REWIND_SCOPES, type RewindScope } from '../../../session/files/rewind.js';
import { isUnderWay } from '../../view/agent-view.js';
import { type CommandContext, sayLines } from '../command-context.js';

type Context = Pick<CommandContext, 'session' | 'say' | 'ask'>;

const STAYS = 'Nothing was changed.';
/** Of a difference, so many lines are shown. */
const MAX_LINES = 60;

/** `/rewind`, `/rewind 2`, `/rewind 2 files`: asks for what is not given. */
export async function rewindByCommand(context: Context, argument: string): Promise<void> {
  const { session, say, ask } = context;
  const reported = await session.execute({ type: 'prompts' });
  if (!reported.ok) return say(stripControls(reported.reason));
  const { prompts, now } = reported;
  if (prompts.length === 0) return say('There is no prompt to rewind to yet.');
  const [given, part] = argument.split(/\s+/).filter(Boolean);
  if (given === undefined) for (const [index, prompt] of prompts.entries()) say(describePrompt(index, prompt, now));
  const number = given ?? (await ask('before which one? (Enter: stay here)'))?.trim();
  if (!number) return say(STAYS);
  const to = Number(number);
  if (!Number.isInteger(to) || to < 1 || to > prompts.length)
    return say(`There is no prompt ${stripControls(number)}.`);
  const said = (part ?? (await ask('conversation, files or both? (c/f/b; Enter: stay here)')) ?? '').trim();
  const wanted = readPart(said);
  if (wanted === undefined) {
    const why = said === '' ? '' : `"${stripControls(said)}" is none of conversation, files and both. `;
    return say(`${why}${STAYS}`);
  }
  // Who has said all of it in one line means it: what changes is shown, and not asked about.
  const isSaid = part !== undefined;
  if (!(await mayChangeFiles(context, { to, part: wanted, isSaid }))) return say(STAYS);
  if (!(await mayStopAgents(context))) return say(STAYS);
  const rewound = await session.rewind({
    to,
    part: wanted,
    mayOverwrite: (path) =>
      agree(ask, `${stripControls(path)} has been changed since by a command or somebody else. Overwrite it? (y/n)`),
  });
  sayLines(say, rewound.ok ? describeRewound(rewound) : [`The rewind failed: ${rewound.reason}`]);
}

function describePrompt(index: number, { words, at, files, agents }: PromptReport, now: number): string {
  const since = [
    ...(at === undefined ? [] : [age(now - at)]),
    ...(files.length === 0 ? [] : [`${plural(files.length, 'file')} changed since`]),
    ...(agents.length === 0 ? [] : [`${plural(agents.length, 'agent')} since`]),
  ];
  return `  ${index + 1}  ${stripToLine(words).slice(0, 100).toWellFormed()}${since.length === 0 ? '' : `  (${since.join(', ')})`}`;
}

/** Shows what would change first. Where nothing would, nothing is asked. */
async function mayChangeFiles(
  { session, say, ask }: Context,
  { to, part, isSaid }: { readonly to: number; readonly part: RewindScope; readonly isSaid: boolean },
): Promise<boolean> {
  if (part === 'conversation') return true;
  const look = await session.execute({ type: 'rewind', to, part, dryRun: true });
  // What stands against it is told when it is done.
  if (!look.ok || look.files.length === 0) return true;
  const lines = (look.patch ?? '').trimEnd().split('\n');
  sayLines(say, lines.slice(0, MAX_LINES));
  if (lines.length > MAX_LINES) say(`… (+${plural(lines.length - MAX_LINES, 'line')})`);
  if (isSaid) return true;
  return agree(
    ask,
    `This changes ${plural(look.files.length, 'file')} (+${look.insertions} −${look.deletions}). Go back? (y/n)`,
  );
}

/** An agent that works on would change files under the conversation that is gone back to. */
async function mayStopAgents({ session, say, ask }: Context): Promise<boolean> {
  const atWork = session.snapshot().filter(({ parent, status }) => parent !== undefined && isUnderWay(status));
  if (atWork.length === 0) return true;
  const names = atWork.map(({ id, name, type }) => stripToLine(`${name ?? type} (${id})`)).join(', ');
  const what = plural(atWork.length, 'agent is at work', 'agents are at work');
  if (!(await agree(ask, `${what}: ${names}. Stop and go back? (y/n)`))) return false;
  // What they report would begin a turn in a conversation that is about to be taken back.
  const unwatch = session.watch(({ agent, event }) => {
    if (agent === MAIN_AGENT && event.kind === 'turn-started') session.interrupt();
  });
  for (const { id } of atWork) {
    const stopped = await session.execute({ type: 'stop-task', task: id });
    if (!stopped.ok) say(stripControls(`${id}: ${stopped.reason}`));
  }
  // A command in the background may never end; then the rewind says if it came too early.
  const hasShells = session.tasks().some(({ kind, status }) => kind === 'shell' && status === 'running');
  if (!hasShells) await session.settled();
  unwatch();
  return true;
}

async function agree(ask: Context['ask'], question: string): Promise<boolean> {
  return /^y(?:es)?$/i.test((await ask(question))?.trim() ?? '');
}

function readPart(answer: string): RewindScope | undefined {
  const said = answer.toLowerCase();
  return said === '' ? undefined : REWIND_SCOPES.find((part) => part.startsWith(said));
}
