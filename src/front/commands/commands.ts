/** The commands of a line-based session. */

import { BUILT_IN_ALIASES, type BuiltInCommand } from '../../config/skills/built-in-commands.js';
import { stripUnsafe } from '../../gate/permissions/strip-unsafe.js';
import { describeCost } from '../view/describe/describe-cost.js';
import { runTasks } from './agents/tasks-command.js';
import { applyWork, runWorktrees } from './agents/worktree-commands.js';
import type { CommandContext } from './command-context.js';
import { branch, clear, compact, fork, moveToBackground } from './conversation/conversation-commands.js';
import { goBack } from './conversation/go-back.js';
import { changeMode, changeModel, rename, showStatus } from './session/session-commands.js';

type Command = {
  /** What may follow the name. */
  readonly takes?: string;
  readonly help: string;
  run(context: CommandContext, argument: string): void | Promise<void>;
};

const COMMANDS: Readonly<Record<BuiltInCommand, Command>> = {
  help: {
    help: 'this list',
    run: async (context) => {
      context.say(HELP());
      await (await import('./extensions/skills-command.js')).sayTypable(context);
    },
  },
  status: { help: 'the session, its model and mode, and what is going on', run: showStatus },
  mode: { takes: '[MODE]', help: 'show the permission mode, or change it: /mode plan', run: changeMode },
  model: { takes: '[NAME]', help: 'show the model, or change it: /model sonnet', run: changeModel },
  cost: {
    help: 'the cost of the session so far',
    run: ({ session, view, say }) => say(describeCost(view.totals, session.models)),
  },
  context: {
    help: 'what takes up the context window',
    run: async ({ session, say }) => {
      const { describeContext } = await import('../view/describe/describe-context.js');
      const found = await session.execute({ type: 'context' });
      for (const line of found.ok ? describeContext(found.context) : [found.reason]) say(stripUnsafe(line));
    },
  },
  tasks: { takes: '[resume|stop ID]', help: 'agents and background commands, with what each does', run: runTasks },
  background: {
    takes: '[ID]',
    help: 'let agents that are waited for continue in the background (also Ctrl+B)',
    run: moveToBackground,
  },
  fork: {
    takes: '[--worktree] TASK',
    help: 'give a task to a fork, which knows the whole conversation; in a worktree of its own',
    run: fork,
  },
  branch: { takes: '[NAME]', help: 'copy the session and continue in the copy', run: branch },
  rename: { takes: '[NAME]', help: 'show the name of the session, or give it one', run: rename },
  compact: { takes: '[WORDS]', help: 'replace the conversation by a summary; WORDS say what to keep', run: compact },
  clear: { help: 'start the conversation again', run: clear },
  rewind: {
    takes: '[N [PART]]',
    help: 'go back to before a prompt: conversation, files or both',
    run: goBack,
  },
  worktrees: {
    takes: '[remove NAME [--discard]]',
    help: 'worktrees of agents and sessions: branch, commits, changed files, owner, age',
    run: runWorktrees,
  },
  apply: { takes: 'AGENT', help: 'bring what an agent made in its worktree into this checkout', run: applyWork },
  memory: {
    takes: '[VERB AGENT]',
    help: 'what agents have noted; show, diff, take, merge, publish, decline or rollback that of one',
    // Loaded with the first one.
    run: async (context, argument) =>
      (await import('./extensions/memory-command.js')).runPlainMemory(context, argument),
  },
  mcp: {
    takes: '[reconnect [NAME]|disable NAME|enable NAME|prompts]',
    help: 'MCP servers: how they stand; connect one or all again; the prompts they offer',
    run: async (context, argument) => (await import('./extensions/mcp-command.js')).runPlainMcp(context, argument),
  },
  skills: {
    help: 'skills and commands of yours, of the project and of plugins, to be typed as /name',
    run: async (context) => (await import('./extensions/skills-command.js')).runPlainSkills(context),
  },
  exit: { help: 'leave (also Ctrl+D, or Ctrl+C twice)', run: ({ leave }) => leave() },
};

const ALIASES: Readonly<Record<string, BuiltInCommand>> = BUILT_IN_ALIASES;

export async function runCommand(line: string, context: CommandContext): Promise<void> {
  const [, word = 'help', argument = ''] = /^\/(\S+)\s*(.*)$/s.exec(line.trim()) ?? [];
  const name = Object.hasOwn(ALIASES, word) ? (ALIASES[word] ?? word) : word;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name as BuiltInCommand] : undefined;
  await command?.run(context, argument.trim());
}

const HELP = () => {
  const rows = Object.entries(COMMANDS).map(([name, { takes, help }]) => {
    return { use: `/${name}${takes === undefined ? '' : ` ${takes}`}`, help };
  });
  const width = Math.max(...rows.map(({ use }) => use.length));
  return [
    ...rows.map(({ use, help }) => `  ${use.padEnd(width)}  ${help}`),
    'A file or folder named as @path is attached: @src/a.ts, @src/a.ts#L10-20, @"my notes.md".',
    'End a line with \\ to continue it on the next. What you type while the agent works reaches it at its next step.',
    'When a question comes while you type, your line waits until it is answered. Commands work there, too.',
    'Ctrl+C interrupts the work; Ctrl+B moves agents that are waited for to the background; Ctrl+Z stops the program.',
  ].join('\n');
};
