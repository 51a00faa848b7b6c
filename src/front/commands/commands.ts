/** The slash commands, a row each, for every surface that takes them. The code of each is loaded when it is typed. */

import { findSlashCommand, SLASH_COMMANDS, type SlashCommandName } from '../../protocol/slash-commands.js';
import type { Conversation } from '../tui/app/conversation.js';
import type { CommandContext } from './command-context.js';

type Command = {
  /** The argument, as `/help` and completion show it. Without one, completion sends the command at once. */
  readonly takes?: string;
  readonly help: string;
  /** Queued until the current turn ends. Other commands run at any time (TU-21). */
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
    help: 'show this list',
    run: async (context) => (await import('./help-command.js')).showHelp(context, listCommands()),
  },
  status: {
    help: 'show session, model, mode and activity',
    run: async (context) => (await session()).showStatus(context),
  },
  doctor: {
    help: 'check the environment: programs, key, terminal, settings',
    run: async (context) => (await import('./doctor/check-machine.js')).showDoctor(context),
  },
  config: {
    takes: '[TEXT]',
    help: 'show settings and the file of each; TEXT filters by name',
    run: async (context, text) => (await import('./session/config-command.js')).showConfig(context, text),
  },
  mode: {
    takes: '[MODE]',
    help: 'show or change the permission mode: /mode plan',
    run: async (context, mode) => (await session()).changeMode(context, mode),
  },
  plan: {
    takes: '[TEXT]',
    help: 'plan first: nothing changes until you accept a plan; TEXT is sent as a prompt',
    run: async (context, text) => (await session()).startPlan(context, text),
  },
  model: {
    takes: '[NAME]',
    help: 'show or change the model: /model sonnet',
    run: async (context, name) => (await session()).changeModel(context, name),
    page: async (conversation) => (await import('../tui/open/pick-model.js')).pickModel(conversation),
  },
  permissions: {
    takes: '[allow|ask|deny|remove RULE]',
    help: 'list permission rules and their files; add or remove one in the local settings',
    run: async (context, words) => (await import('./session/permissions-command.js')).runPermissions(context, words),
  },
  cost: {
    help: 'show the cost so far, by agent and by model',
    run: async (context) => (await usage()).showCost(context),
  },
  cache: {
    help: 'show what each request read from the cache, and what forks saved',
    run: async (context) => (await usage()).showCache(context),
  },
  context: {
    help: 'show what fills the context window',
    run: async (context) => (await conversation()).showContext(context),
  },
  agents: {
    help: 'list agent types and their files (/tasks: running agents)',
    run: async (context) => (await agents()).listAgentTypes(context),
  },
  tasks: {
    takes: '[all|stop|resume|write|output|take|give ID]',
    help: 'list agents and background commands; stop, resume, message or take over one',
    run: async (context, words) => (await agents()).runTasks(context, words),
    page: async (conversation) => (await import('../tui/open/open-tasks.js')).openTasks(conversation),
  },
  background: {
    takes: '[ID]',
    help: 'move running agents and commands to the background (also Ctrl+B)',
    run: async (context, id) => (await conversation()).moveToBackground(context, id),
  },
  queue: {
    takes: '[take N|send]',
    help: 'list queued messages; take one back, or send held ones',
    run: async (context, words) => (await import('./conversation/queue-command.js')).runQueue(context, words),
  },
  fork: {
    takes: '[--worktree] TASK',
    help: 'give a task to a fork, which has the whole conversation; --worktree: in its own worktree',
    run: async (context, words) => (await conversation()).fork(context, words),
  },
  btw: {
    takes: 'QUESTION',
    help: 'ask a side question: a fork without tools answers, the conversation is unchanged',
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
    help: 'compare agents side by side: results, cost, time, changed files, differences',
    run: async (context, words) => (await import('./agents/compare-command.js')).compareAgents(context, words),
    argumentPage: async (conversation, words) =>
      (await import('../tui/open/open-comparison.js')).openComparison(conversation, words),
  },
  worktrees: {
    takes: '[remove NAME [--discard]]',
    help: 'list worktrees: branch, commits, changed files, owner, age; remove one',
    run: async (context, words) => (await worktrees()).runWorktrees(context, words),
  },
  apply: {
    takes: 'AGENT',
    help: "apply an agent's work from its worktree to this checkout",
    whenIdle: true,
    run: async (context, agent) => (await worktrees()).applyWork(context, agent),
  },
  diff: {
    takes: '[AGENT]',
    help: "show an agent's changes in its worktree; without one, uncommitted changes here",
    run: async (context, agent) => (await worktrees()).showDiff(context, agent),
    argumentPage: async (conversation, agent) =>
      (await import('../tui/open/open-diff.js')).openDiff(conversation, agent),
  },
  resume: {
    takes: '[TEXT]',
    help: 'resume another session of this folder; TEXT filters by name and first prompt',
    whenIdle: true,
    run: async (context, words) => (await import('./session/resume-command.js')).resumeOther(context, words),
    page: async (conversation) => (await import('../tui/open/pick-session.js')).resumeAnotherSession(conversation),
  },
  rename: {
    takes: '[NAME]',
    help: 'show or set the name of the session',
    run: async (context, name) => (await session()).rename(context, name),
  },
  rewind: {
    takes: '[N [PART]]',
    help: 'restore the conversation, files or both to before a prompt',
    whenIdle: true,
    run: async (context, words) => (await import('./conversation/rewind-command.js')).rewindByCommand(context, words),
    page: async (conversation) => (await import('../tui/open/open-rewind.js')).openRewind(conversation),
  },
  compact: {
    takes: '[TEXT]',
    help: 'replace the conversation with a summary; TEXT says what to keep',
    whenIdle: true,
    run: async (context, words) => (await conversation()).compact(context, words),
  },
  clear: {
    help: 'clear the conversation',
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
    help: 'copy the last reply, or the Nth last, to the clipboard',
    run: async (context, place) => (await import('./conversation/copy-command.js')).copyReply(context, place),
  },
  init: {
    takes: '[TEXT]',
    help: 'have the agent inspect the project and write AGENTS.md',
    whenIdle: true,
    run: async (context, words) => (await conversation()).startInit(context, words),
  },
  memory: {
    takes: '[VERB AGENT]',
    help: 'list agent memory; show, diff, take, merge, publish, decline or rollback one',
    run: async (context, words) => (await import('./extensions/memory-command.js')).runMemory(context, words),
  },
  mcp: {
    takes: '[reconnect [NAME]|disable NAME|enable NAME|prompts]',
    help: 'MCP server status; reconnect, disable or enable servers; list their prompts',
    run: async (context, words) => (await import('./extensions/mcp-command.js')).runMcp(context, words),
  },
  skills: {
    help: 'list skills and custom commands to type as /name',
    run: async (context) => (await import('./extensions/skills-command.js')).listSkills(context),
  },
  theme: {
    takes: '[NAME]',
    help: 'show or change the colour theme',
    run: async (context, name) => (await session()).changeTheme(context, name),
    page: async (conversation) => (await import('../tui/open/pick-theme.js')).pickTheme(conversation),
  },
  vim: {
    help: 'turn vim keys on or off in the terminal editor',
    run: async (context) => (await session()).switchVim(context),
  },
  exit: {
    help: 'leave (also Ctrl+D, or Ctrl+C twice); asks if agents are running',
    run: async (context) => (await session()).leaveSession(context),
  },
};

type NamedCommand = Command & { readonly name: SlashCommandName };

export function listCommands(): readonly NamedCommand[] {
  return SLASH_COMMANDS.map((name) => ({ name, ...COMMANDS[name] }));
}

/** Parses a line into its command (by name or alias) and argument. A slash alone is `/help`. */
export function commandIn(line: string): (NamedCommand & { readonly argument: string }) | undefined {
  const [, word = '', argument = ''] = /^\/(\S*)\s*(.*)$/s.exec(line.trim()) ?? [];
  const name = findSlashCommand(word || 'help');
  return name && { name, argument, ...COMMANDS[name] };
}
