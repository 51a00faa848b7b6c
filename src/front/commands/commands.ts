/** The slash commands, a row each, for every surface that takes them. The code of each is loaded when it is typed. */

import { findSlashCommand, SLASH_COMMANDS, type SlashCommandName } from '../../protocol/slash-commands.js';
import type { Conversation } from '../tui/app/conversation.js';
import type { CommandContext } from './command-context.js';

type Command = {
  /** The argument, as `/help` and completion show it. Without one, completion sends the command at once. */
  readonly takes?: string;
  readonly help: string;
  /** It waits for the end of the current turn. The others run at any time (TU-21). */
  readonly whenIdle?: true;
  run(context: CommandContext, argument: string): void | Promise<void>;
  /** The page that the terminal opens instead, if there is no argument. */
  page?(conversation: Conversation): Promise<void>;
  /** The page that the terminal opens instead, with any argument. */
  argumentPage?(conversation: Conversation, argument: string): Promise<void>;
};

const session = () => import('./session/session-commands.js');
const conversation = () => import('./conversation/conversation-commands.js');
const agents = () => import('./agents/agent-commands.js');
const worktrees = () => import('./agents/worktree-commands.js');
const usage = () => import('./usage/usage-commands.js');

const COMMANDS: Readonly<Record<SlashCommandName, Command>> = {
  help: {
    help: 'this list',
    run: async (context) => (await import('./help-command.js')).showHelp(context, listCommands()),
  },
  status: {
    help: 'the session, its model and mode, and what is going on',
    run: async (context) => (await session()).showStatus(context),
  },
  doctor: {
    help: 'check what the machine offers',
    run: async (context) => (await import('./doctor/check-machine.js')).showDoctor(context),
  },
  config: {
    takes: '[WORD]',
    help: 'every setting with the file it comes from; those with WORD in their name',
    run: async (context, word) => (await import('./session/config-command.js')).showConfig(context, word),
  },
  mode: {
    takes: '[MODE]',
    help: 'show the permission mode, or change it: /mode plan',
    run: async (context, mode) => (await session()).changeMode(context, mode),
  },
  plan: {
    takes: '[WORDS]',
    help: 'plan first: nothing is changed until you accept a plan; WORDS are sent',
    run: async (context, words) => (await session()).startPlan(context, words),
  },
  model: {
    takes: '[NAME]',
    help: 'show the model, or change it: /model sonnet',
    run: async (context, name) => (await session()).changeModel(context, name),
    page: async (conversation) => (await import('../tui/open/pick-model.js')).pickModel(conversation),
  },
  permissions: {
    takes: '[allow|ask|deny|remove RULE]',
    help: 'the permission rules with the file of each; add one to the local settings, or remove it there',
    run: async (context, words) => (await import('./session/permissions-command.js')).runPermissions(context, words),
  },
  cost: {
    help: 'the cost of the session so far, by agent and by model',
    run: async (context) => (await usage()).showCost(context),
  },
  cache: {
    help: 'what each request shared and read from the cache, and what forks saved',
    run: async (context) => (await usage()).showCache(context),
  },
  context: {
    help: 'what takes up the context window',
    run: async (context) => (await conversation()).showContext(context),
  },
  agents: {
    help: 'the kinds of agents there are, with the file of each (/tasks: those at work)',
    run: async (context) => (await agents()).listKinds(context),
  },
  tasks: {
    takes: '[all|stop|resume|write|output|take|give ID]',
    help: 'agents and background commands: what each does; stop, resume or write to one, take it over',
    run: async (context, words) => (await agents()).runTasks(context, words),
    page: async (conversation) => (await import('../tui/open/open-tasks.js')).openTasks(conversation),
  },
  background: {
    takes: '[ID]',
    help: 'let agents that are waited for continue in the background (also Ctrl+B)',
    run: async (context, id) => (await conversation()).moveToBackground(context, id),
  },
  queue: {
    takes: '[take N|send]',
    help: 'what you sent that was not read yet; take it back, or send what is held',
    run: async (context, words) => (await import('./conversation/queue-command.js')).runQueue(context, words),
  },
  fork: {
    takes: '[--worktree] TASK',
    help: 'give a task to a fork, which knows the whole conversation; in a worktree of its own',
    run: async (context, words) => (await conversation()).fork(context, words),
  },
  btw: {
    takes: 'QUESTION',
    help: 'ask something beside the work: a fork without tools answers, the conversation stays as it is',
    run: async (context, words) => (await conversation()).askAside(context, words),
  },
  branch: {
    takes: '[NAME]',
    help: 'copy the session and continue in the copy',
    whenIdle: true,
    run: async (context, name) => (await conversation()).branch(context, name),
  },
  compare: {
    takes: '[AGENT…]',
    help: 'agents beside each other: results, cost, time, files that several changed, differences',
    run: async (context, words) => (await import('./agents/compare-command.js')).compareAgents(context, words),
    argumentPage: async (conversation, words) =>
      (await import('../tui/open/open-comparison.js')).openComparison(conversation, words),
  },
  worktrees: {
    takes: '[remove NAME [--discard]]',
    help: 'worktrees of agents and sessions: branch, commits, changed files, owner, age',
    run: async (context, words) => (await worktrees()).runWorktrees(context, words),
  },
  apply: {
    takes: 'AGENT',
    help: 'bring what an agent made in its worktree into this checkout',
    whenIdle: true,
    run: async (context, agent) => (await worktrees()).applyWork(context, agent),
  },
  diff: {
    takes: '[AGENT]',
    help: 'what an agent made in its worktree; without one, what is not committed here',
    run: async (context, agent) => (await worktrees()).showDiff(context, agent),
    argumentPage: async (conversation, agent) =>
      (await import('../tui/open/open-diff.js')).openDiff(conversation, agent),
  },
  resume: {
    takes: '[TEXT]',
    help: 'continue in another session of this folder; TEXT is looked for in its name and first prompt',
    whenIdle: true,
    run: async (context, words) => (await import('./session/resume-command.js')).resumeOther(context, words),
    page: async (conversation) => (await import('../tui/open/pick-session.js')).resumeOther(conversation),
  },
  rename: {
    takes: '[NAME]',
    help: 'show the name of the session, or give it one',
    run: async (context, name) => (await session()).rename(context, name),
  },
  rewind: {
    takes: '[N [PART]]',
    help: 'go back to before a prompt: conversation, files or both',
    whenIdle: true,
    run: async (context, words) => (await import('./conversation/rewind-command.js')).rewindByCommand(context, words),
    page: async (conversation) => (await import('../tui/open/open-rewind.js')).openRewind(conversation),
  },
  compact: {
    takes: '[WORDS]',
    help: 'replace the conversation by a summary; WORDS say what to keep',
    whenIdle: true,
    run: async (context, words) => (await conversation()).compact(context, words),
  },
  clear: {
    help: 'start the conversation again',
    whenIdle: true,
    run: async (context) => (await conversation()).clear(context),
  },
  export: {
    takes: '[FILE]',
    help: 'write the conversation to a Markdown file',
    run: async (context, file) => (await import('./conversation/export-command.js')).exportConversation(context, file),
  },
  copy: {
    takes: '[N]',
    help: 'copy the last reply, or the N-th last, to the clipboard',
    run: async (context, place) => (await import('./conversation/copy-command.js')).copyReply(context, place),
  },
  init: {
    takes: '[WORDS]',
    help: 'let the agent look at the project and write AGENTS.md for it',
    whenIdle: true,
    run: async (context, words) => (await conversation()).startInit(context, words),
  },
  memory: {
    takes: '[VERB AGENT]',
    help: 'what agents have noted; show, diff, take, merge, publish, decline or rollback that of one',
    run: async (context, words) => (await import('./extensions/memory-command.js')).runMemory(context, words),
  },
  mcp: {
    takes: '[reconnect [NAME]|disable NAME|enable NAME|prompts]',
    help: 'MCP servers: how they stand; connect one or all again; the prompts they offer',
    run: async (context, words) => (await import('./extensions/mcp-command.js')).runMcp(context, words),
  },
  skills: {
    help: 'skills and commands of yours, of the project and of plugins, to be typed as /name',
    run: async (context) => (await import('./extensions/skills-command.js')).listSkills(context),
  },
  theme: {
    takes: '[NAME]',
    help: 'show the colours of the terminal, or change them',
    run: async (context, name) => (await session()).changeTheme(context, name),
    page: async (conversation) => (await import('../tui/open/pick-theme.js')).pickTheme(conversation),
  },
  vim: {
    help: "switch vim's keys on or off in the editor of the terminal",
    run: async (context) => (await session()).switchVim(context),
  },
  exit: {
    help: 'leave (also Ctrl+D, or Ctrl+C twice); asks if agents are at work',
    run: async (context) => (await session()).leaveSession(context),
  },
};

type NamedCommand = Command & { readonly name: SlashCommandName };

export function listCommands(): readonly NamedCommand[] {
  return SLASH_COMMANDS.map((name) => ({ name, ...COMMANDS[name] }));
}

/** The command that a line names, by its name or an alias, and what follows; a slash alone asks for help. */
export function commandIn(line: string): (NamedCommand & { readonly argument: string }) | undefined {
  const [, word = '', argument = ''] = /^\/(\S*)\s*(.*)$/s.exec(line.trim()) ?? [];
  const name = findSlashCommand(word || 'help');
  return name && { name, argument, ...COMMANDS[name] };
}
