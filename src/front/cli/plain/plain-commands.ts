/** The commands of a line-based session. */

import { stripUnsafe } from '../../../gate/permissions/strip-unsafe.js';
import { PERMISSION_MODES, type PermissionMode } from '../../../protocol/permission.js';
import { nearestNames } from '../../../tools/nearest-names.js';
import type { Session } from '../../sdk/session.js';
import { describeCost } from '../../view/describe-cost.js';
import type { SessionView } from '../../view/session-view.js';
import { goBack } from './go-back.js';
import { runTasks } from './tasks-command.js';

export type CommandContext = {
  readonly session: Session;
  readonly view: SessionView;
  readonly say: (line: string) => void;
  /** Resolves with undefined if nobody can answer. */
  readonly ask: (question: string) => Promise<string | undefined>;
  readonly leave: () => void;
};

type Command = { readonly help: string; run(context: CommandContext, argument: string): void | Promise<void> };

const COMMANDS: Readonly<Record<string, Command>> = {
  help: { help: 'this list', run: ({ say }) => say(HELP()) },
  mode: { help: 'show the permission mode, or change it: /mode plan', run: changeMode },
  model: { help: 'show the model', run: ({ session, say }) => say(session.model) },
  cost: {
    help: 'show the cost of the session so far',
    run: ({ session, view, say }) => say(describeCost(view.totals, session.models)),
  },
  tasks: { help: 'list background and interrupted tasks: /tasks resume ID, /tasks stop ID', run: runTasks },
  rewind: { help: 'rewind to before a prompt: conversation, files or both', run: goBack },
  exit: { help: 'leave (also Ctrl+D, or Ctrl+C twice)', run: ({ leave }) => leave() },
};

/** Other names people try. */
const ALIASES: Readonly<Record<string, string>> = { quit: 'exit', q: 'exit', '?': 'help' };

/** A word after a slash, without another slash: a path such as /tmp/x is a prompt. */
export function isCommand(line: string): boolean {
  return /^\/[A-Za-z?][\w-]*(?:\s|$)/.test(line.trimStart());
}

export async function runCommand(line: string, context: CommandContext): Promise<void> {
  const [, word = '', argument = ''] = /^\/(\S+)\s*(.*)$/s.exec(line.trim()) ?? [];
  const name = ALIASES[word] ?? word;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return command.run(context, argument.trim());
  const [nearest] = nearestNames(name, Object.keys(COMMANDS), 1);
  const hint = nearest === undefined ? '/help lists them' : `did you mean /${nearest}?`;
  context.say(`There is no command /${stripUnsafe(word)}; ${hint}`);
}

async function changeMode({ session, say }: CommandContext, argument: string): Promise<void> {
  if (argument === '') return say(`${session.mode} (available: ${session.modes.join(', ')})`);
  const known = PERMISSION_MODES.find((one) => one.toLowerCase() === argument.toLowerCase());
  const done = await session.execute({ type: 'set-mode', mode: known ?? (argument as PermissionMode) });
  say(done.ok ? `mode: ${session.mode}` : stripUnsafe(done.reason));
}

const HELP = () =>
  [
    ...Object.entries(COMMANDS).map(([name, { help }]) => `  /${name.padEnd(6)} ${help}`),
    'End a line with \\ to continue it on the next. What you type while the agent works reaches it at its next step.',
    'Ctrl+C interrupts the work.',
  ].join('\n');
