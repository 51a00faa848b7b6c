/** The commands that are ours: a skill of such a name can't be typed (EX-9). The types keep the table of them the same. */

export const BUILT_IN_COMMANDS = [
  'help',
  'status',
  'doctor',
  'config',
  'mode',
  'plan',
  'model',
  'permissions',
  'cost',
  'cache',
  'context',
  'agents',
  'tasks',
  'background',
  'queue',
  'fork',
  'btw',
  'branch',
  'compare',
  'worktrees',
  'apply',
  'diff',
  'resume',
  'rename',
  'rewind',
  'compact',
  'clear',
  'export',
  'copy',
  'init',
  'memory',
  'mcp',
  'skills',
  'theme',
  'vim',
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
  worktree: 'worktrees',
} as const satisfies Readonly<Record<string, BuiltInCommand>>;

export function isBuiltInCommand(name: string): boolean {
  return BUILT_IN_COMMANDS.some((one) => one === name) || Object.hasOwn(BUILT_IN_ALIASES, name);
}
