/** `/rewind`: asks for prompt and scope, shows the changes, asks about running agents, then rewinds (TU-24). */

import type { PromptReport } from '../../../engine/commands/command-results.js';
import { stripControls, stripToLine } from '../../../gate/permissions/strip-controls.js';
import { REWIND_SCOPES, type RewindScope } from '../../../protocol/commands.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import { age, plural } from '../../../protocol/format-numbers.js';
import { describeRewound } from '../../../session/files/rewind.js';
import { isActive } from '../../view/agent-view.js';
import { type CommandContext, sayLines } from '../command-context.js';

type Context = Pick<CommandContext, 'session' | 'say' | 'ask'>;

const UNCHANGED = 'Nothing was changed.';
/** How many lines of a diff are shown. */
const MAX_LINES = 60;

/** `/rewind`, `/rewind 2`, `/rewind 2 files`: asks for what is not given. */
export async function rewindByCommand(context: Context, argument: string): Promise<void> {
  const { session, say, ask } = context;
  const reported = await session.execute({ type: 'prompts' });
  if (!reported.ok) return say(stripControls(reported.reason));
  const { prompts, now } = reported;
  if (prompts.length === 0) return say('No prompt to rewind to yet.');
  const [given, part] = argument.split(/\s+/).filter(Boolean);
  if (given === undefined) for (const [index, prompt] of prompts.entries()) say(describePrompt(index, prompt, now));
  const number = given ?? (await ask('Rewind to before which prompt? (Enter cancels)'))?.trim();
  if (!number) return say(UNCHANGED);
  const to = Number(number);
  if (!Number.isInteger(to) || to < 1 || to > prompts.length)
    return say(`No prompt ${stripControls(number)}: choose 1 to ${prompts.length}.`);
  const said = (
    part ??
    (await ask('Restore: 1 conversation and files · 2 conversation · 3 files (Enter cancels)')) ??
    ''
  ).trim();
  const wanted = readPart(said);
  if (wanted === undefined) {
    const why = said === '' ? '' : `"${stripControls(said)}" is not one of both, conversation, files. `;
    return say(`${why}${UNCHANGED}`);
  }
  // A complete command is a decision: the changes are shown without a question.
  const isDecided = part !== undefined;
  if (!(await mayChangeFiles(context, { to, part: wanted, isDecided }))) return say(UNCHANGED);
  if (!(await mayStopAgents(context))) return say(UNCHANGED);
  const rewound = await session.rewind({
    to,
    part: wanted,
    mayOverwrite: (path) =>
      agree(ask, `${stripControls(path)} was changed since by a command or another program. Overwrite it? (y/n)`),
  });
  sayLines(say, rewound.ok ? describeRewound(rewound) : [`Rewind failed: ${rewound.reason}`]);
}

function describePrompt(index: number, { words, at, files, agents }: PromptReport, now: number): string {
  const since = [
    ...(at === undefined ? [] : [age(now - at)]),
    ...(files.length === 0 ? [] : [`${plural(files.length, 'file')} changed since`]),
    ...(agents.length === 0 ? [] : [`${plural(agents.length, 'agent')} since`]),
  ];
  return `  ${index + 1}  ${stripToLine(words).slice(0, 100).toWellFormed()}${since.length === 0 ? '' : `  (${since.join(', ')})`}`;
}

/** Shows what would change, then asks. Asks nothing if nothing would change. */
async function mayChangeFiles(
  { session, say, ask }: Context,
  { to, part, isDecided }: { readonly to: number; readonly part: RewindScope; readonly isDecided: boolean },
): Promise<boolean> {
  if (part === 'conversation') return true;
  const preview = await session.execute({ type: 'rewind', to, part, dryRun: true });
  // The rewind itself reports why it can't be done.
  if (!preview.ok || preview.files.length === 0) return true;
  const lines = (preview.patch ?? '').trimEnd().split('\n');
  sayLines(say, lines.slice(0, MAX_LINES));
  if (lines.length > MAX_LINES) say(`… (+${plural(lines.length - MAX_LINES, 'line')})`);
  if (isDecided) return true;
  return agree(
    ask,
    `This changes ${plural(preview.files.length, 'file')} (+${preview.insertions} −${preview.deletions}). Rewind? (y/n)`,
  );
}

/** Stops running agents, which would otherwise change files under the rewound conversation. */
async function mayStopAgents({ session, say, ask }: Context): Promise<boolean> {
  const running = session.snapshot().filter(({ parent, status }) => parent !== undefined && isActive(status));
  if (running.length === 0) return true;
  const names = running.map(({ id, name, type }) => stripToLine(`${name ?? type} (${id})`)).join(', ');
  const what = plural(running.length, 'agent is running', 'agents are running');
  if (!(await agree(ask, `${what}: ${names}. Stop and rewind? (y/n)`))) return false;
  // Their notices would start a turn in a conversation that is about to be rewound.
  const unwatch = session.watch(({ agent, event }) => {
    if (agent === MAIN_AGENT && event.kind === 'turn-started') session.interrupt();
  });
  for (const { id } of running) {
    const stopped = await session.execute({ type: 'stop-task', task: id });
    if (!stopped.ok) say(stripControls(`${id}: ${stopped.reason}`));
  }
  // A background command may never end; then the rewind reports if it came too early.
  const hasShells = session.tasks().some(({ kind, status }) => kind === 'shell' && status === 'running');
  if (!hasShells) await session.settled();
  unwatch();
  return true;
}

async function agree(ask: Context['ask'], question: string): Promise<boolean> {
  return /^y(?:es)?$/i.test((await ask(question))?.trim() ?? '');
}

function readPart(answer: string): RewindScope | undefined {
  const typed = answer.toLowerCase();
  if (typed === '') return undefined;
  return REWIND_SCOPES[Number(typed) - 1] ?? REWIND_SCOPES.find((part) => part.startsWith(typed));
}
