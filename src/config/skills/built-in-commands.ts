/** The commands that are ours: a skill of such a name can't be typed (EX-9). The types keep the terminal's table the same. */

export const BUILT_IN_COMMANDS = [
  'help',
  'status',
  'mode',
  'model',
  'cost',
  'context',
  'tasks',
  'background',
  'fork',
  'branch',
  'rename',
  'compact',
  'clear',
  'rewind',
  'worktrees',
  'apply',
  'memory',
  'mcp',
  'skills',
  'exit',
] as const;

export type BuiltInCommand = (typeof BUILT_IN_COMMANDS)[number];

/** Other names people try. */
export const BUILT_IN_ALIASES = {
  quit: 'exit',
  q: 'exit',
  '?': 'help',
  bg: 'background',
  task: 'tasks',
  agents: 'tasks',
  worktree: 'worktrees',
} as const satisfies Readonly<Record<string, BuiltInCommand>>;

export function isBuiltInCommand(name: string): boolean {
  return BUILT_IN_COMMANDS.some((one) => one === name) || Object.hasOwn(BUILT_IN_ALIASES, name);
}
