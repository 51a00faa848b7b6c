/**
 * Names of the built-in slash commands, in the order of `/help`, with their aliases. Every client reserves them: a skill
 * with such a name can't be typed (EX-9). The rest of a command is its row in `front/commands/commands.ts`.
 */

const ALIASES = {
  help: ['?'],
  status: [],
  doctor: [],
  config: [],
  mode: [],
  plan: [],
  model: [],
  permissions: [],
  cost: [],
  cache: [],
  context: [],
  agents: [],
  tasks: ['task'],
  background: ['bg'],
  queue: [],
  fork: [],
  btw: [],
  branch: [],
  compare: [],
  worktrees: ['worktree'],
  apply: [],
  diff: [],
  resume: [],
  rename: [],
  rewind: [],
  compact: [],
  clear: [],
  export: [],
  copy: [],
  init: [],
  memory: [],
  mcp: [],
  skills: [],
  theme: [],
  vim: [],
  exit: ['quit', 'q'],
} satisfies Readonly<Record<string, readonly string[]>>;

export type SlashCommandName = keyof typeof ALIASES;

export const SLASH_COMMANDS = Object.keys(ALIASES) as readonly SlashCommandName[];

/** The built-in command of this name or alias. */
export function findSlashCommand(name: string): SlashCommandName | undefined {
  return SLASH_COMMANDS.find((own) => {
    const aliases: readonly string[] = ALIASES[own];
    return own === name || aliases.includes(name);
  });
}
