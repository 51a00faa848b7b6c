/** The commands of a person: one table for every surface that takes words. What each needs is loaded when it is typed. */

import { BUILT_IN_ALIASES, BUILT_IN_COMMANDS, type BuiltInCommand } from '../../config/skills/built-in-commands.js';
import type { Command } from './command.js';
import type { CommandContext } from './command-context.js';

const session = () => import('./session/session-commands.js');
const conversation = () => import('./conversation/conversation-commands.js');
const worktrees = () => import('./agents/worktree-commands.js');
const appearance = () => import('./session/appearance-commands.js');
const skills = () => import('./extensions/skills-command.js');

const COMMANDS: Readonly<Record<BuiltInCommand, Command>> = {
  help: {
    help: 'this list',
    while: 'any',
    run: async (context) => {
      context.say((await import('./help-text.js')).helpText(listCommands()));
      await (await skills()).sayTypable(context);
    },
  },
  status: {
    help: 'the session, its model and mode, and what is going on',
    while: 'any',
    run: async (context) => (await session()).showStatus(context),
  },
  doctor: {
    help: 'check what the machine offers',
    while: 'any',
    run: async (context) => (await import('./session/doctor-command.js')).showDoctor(context),
  },
  config: {
    takes: '[WORD]',
    help: 'every setting with the file it comes from; those with WORD in their name',
    while: 'any',
    run: async (context, word) => (await import('./session/config-command.js')).showConfig(context, word),
  },
  mode: {
    takes: '[MODE]',
    help: 'show the permission mode, or change it: /mode plan',
    while: 'any',
    run: async (context, mode) => (await session()).changeMode(context, mode),
  },
  plan: {
    takes: '[WORDS]',
    help: 'plan first: nothing is changed until you accept a plan; WORDS are sent',
    while: 'any',
    run: async (context, words) => (await session()).startPlan(context, words),
  },
  model: {
    takes: '[NAME]',
    help: 'show the model, or change it: /model sonnet',
    while: 'any',
    run: async (context, name) => (await session()).changeModel(context, name),
  },
  permissions: {
    takes: '[allow|ask|deny|remove RULE]',
    help: 'the permission rules with the file of each; add one to the local settings, or remove it there',
    while: 'any',
    run: async (context, words) => (await import('./session/permissions-command.js')).runPermissions(context, words),
  },
  cost: {
    help: 'the cost of the session so far, by agent and by model',
    while: 'any',
    run: async (context) => (await import('./usage/cost-command.js')).showCost(context),
  },
  cache: {
    help: 'what each request shared and read from the cache, and what forks saved',
    while: 'any',
    run: async (context) => (await import('./usage/cache-command.js')).showCache(context),
  },
  context: {
    help: 'what takes up the context window',
    while: 'any',
    run: async (context) => (await conversation()).showContext(context),
  },
  agents: {
    help: 'the kinds of agents there are, with the file of each (/tasks: those at work)',
    while: 'any',
    run: async (context) => (await import('./agents/agents-command.js')).listKinds(context),
  },
  tasks: {
    takes: '[all|stop|resume|write|output|take|give ID]',
    help: 'agents and background commands: what each does; stop, resume or write to one, take it over',
    while: 'any',
    run: async (context, words) => (await import('./agents/tasks-command.js')).runTasks(context, words),
  },
  background: {
    takes: '[ID]',
    help: 'let agents that are waited for continue in the background (also Ctrl+B)',
    while: 'any',
    run: async (context, id) => (await conversation()).moveToBackground(context, id),
  },
  queue: {
    takes: '[take N|send]',
    help: 'what you sent that was not read yet; take it back, or send what is held',
    while: 'any',
    run: async (context, words) => (await import('./conversation/queue-command.js')).runQueue(context, words),
  },
  fork: {
    takes: '[--worktree] TASK',
    help: 'give a task to a fork, which knows the whole conversation; in a worktree of its own',
    while: 'any',
    run: async (context, words) => (await conversation()).fork(context, words),
  },
  btw: {
    takes: 'QUESTION',
    help: 'ask something beside the work: a fork without tools answers, the conversation stays as it is',
    while: 'any',
    run: async (context, words) => (await conversation()).askAside(context, words),
  },
  branch: {
    takes: '[NAME]',
    help: 'copy the session and continue in the copy',
    while: 'idle',
    run: async (context, name) => (await conversation()).branch(context, name),
  },
  compare: {
    takes: '[AGENT…]',
    help: 'agents beside each other: results, cost, time, files that several changed, differences',
    while: 'any',
    run: async (context, words) => (await import('./agents/compare-command.js')).compareAgents(context, words),
  },
  worktrees: {
    takes: '[remove NAME [--discard]]',
    help: 'worktrees of agents and sessions: branch, commits, changed files, owner, age',
    while: 'any',
    run: async (context, words) => (await worktrees()).runWorktrees(context, words),
  },
  apply: {
    takes: 'AGENT',
    help: 'bring what an agent made in its worktree into this checkout',
    while: 'idle',
    run: async (context, agent) => (await worktrees()).applyWork(context, agent),
  },
  diff: {
    takes: '[AGENT]',
    help: 'what an agent made in its worktree; without one, what is not committed here',
    while: 'any',
    run: async (context, agent) => (await worktrees()).showDiff(context, agent),
  },
  resume: {
    takes: '[TEXT]',
    help: 'continue in another session of this folder; TEXT is looked for in its name and first prompt',
    while: 'idle',
    run: async (context, words) => (await import('./session/resume-command.js')).resumeOther(context, words),
  },
  rename: {
    takes: '[NAME]',
    help: 'show the name of the session, or give it one',
    while: 'any',
    run: async (context, name) => (await session()).rename(context, name),
  },
  rewind: {
    takes: '[N [PART]]',
    help: 'go back to before a prompt: conversation, files or both',
    while: 'idle',
    run: async (context, words) => (await import('./conversation/rewind-command.js')).rewindByCommand(context, words),
  },
  compact: {
    takes: '[WORDS]',
    help: 'replace the conversation by a summary; WORDS say what to keep',
    while: 'idle',
    run: async (context, words) => (await conversation()).compact(context, words),
  },
  clear: {
    help: 'start the conversation again',
    while: 'idle',
    run: async (context) => (await conversation()).clear(context),
  },
  export: {
    takes: '[FILE]',
    help: 'write the conversation to a Markdown file',
    while: 'any',
    run: async (context, file) => (await import('./conversation/export-command.js')).exportConversation(context, file),
  },
  copy: {
    takes: '[N]',
    help: 'copy the last reply, or the N-th last, to the clipboard',
    while: 'any',
    run: async (context, place) => (await import('./conversation/copy-command.js')).copyReply(context, place),
  },
  init: {
    takes: '[WORDS]',
    help: 'let the agent look at the project and write AGENTS.md for it',
    while: 'idle',
    run: async (context, words) => (await import('./conversation/init-command.js')).startInit(context, words),
  },
  memory: {
    takes: '[VERB AGENT]',
    help: 'what agents have noted; show, diff, take, merge, publish, decline or rollback that of one',
    while: 'any',
    run: async (context, words) => (await import('./extensions/memory-command.js')).runMemory(context, words),
  },
  mcp: {
    takes: '[reconnect [NAME]|disable NAME|enable NAME|prompts]',
    help: 'MCP servers: how they stand; connect one or all again; the prompts they offer',
    while: 'any',
    run: async (context, words) => (await import('./extensions/mcp-command.js')).runMcp(context, words),
  },
  skills: {
    help: 'skills and commands of yours, of the project and of plugins, to be typed as /name',
    while: 'any',
    run: async (context) => (await skills()).listSkills(context),
  },
  theme: {
    takes: '[NAME]',
    help: 'show the colours of the terminal, or change them',
    while: 'any',
    run: async (context, name) => (await appearance()).changeTheme(context, name),
  },
  vim: {
    help: "switch vim's keys on or off in the editor of the terminal",
    while: 'any',
    run: async (context) => (await appearance()).switchVim(context),
  },
  exit: {
    help: 'leave (also Ctrl+D, or Ctrl+C twice); asks if agents are at work',
    while: 'any',
    run: async (context) => (await import('./session/exit-command.js')).leaveSession(context),
  },
};

const ALIASES: Readonly<Record<string, BuiltInCommand>> = BUILT_IN_ALIASES;

/** By its name, or another name people try. */
export function findCommand(name: string): (Command & { readonly name: BuiltInCommand }) | undefined {
  const own = Object.hasOwn(ALIASES, name) ? ALIASES[name] : BUILT_IN_COMMANDS.find((one) => one === name);
  return own && { name: own, ...COMMANDS[own] };
}

export type ListedCommand = Omit<Command, 'run'> & { readonly name: BuiltInCommand };

export function listCommands(): readonly ListedCommand[] {
  return BUILT_IN_COMMANDS.map((name) => {
    const { run: _, ...told } = COMMANDS[name];
    return { name, ...told };
  });
}

/** The command that a line names; a slash alone asks for help. */
export function commandIn(line: string): ReturnType<typeof findCommand> {
  return findCommand(/^\/(\S+)/.exec(line.trim())?.[1] ?? 'help');
}

/** `line` is a command (`isCommand`). Whether it has to wait is the caller's to see. */
export async function runCommand(line: string, context: CommandContext): Promise<void> {
  const [, argument = ''] = /^\/\S+\s*(.*)$/s.exec(line.trim()) ?? [];
  await commandIn(line)?.run(context, argument.trim());
}
