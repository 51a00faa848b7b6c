/** What a git command destroys: work that is not committed, branches, stashes, what is on the server (GT-11). */

type Args = readonly string[];

/** Git accepts any beginning of an option's name that fits no other. */
function hasLong(args: Args, ...names: readonly string[]): boolean {
  return args.some((arg) => {
    const given = /^--([a-z-]+)/.exec(arg)?.[1];
    return given !== undefined && names.some((name) => name.startsWith(given));
  });
}

function hasLetter(args: Args, letters: string): boolean {
  return args.some((arg) => /^-[A-Za-z]/.test(arg) && [...letters].some((letter) => arg.includes(letter)));
}

const discards = 'throws away changes to files';

const MARKS: Readonly<Record<string, (args: Args) => string | false>> = {
  reset: (args) => hasLong(args, 'hard', 'merge', 'keep') && 'throws away uncommitted work (git reset --hard)',
  push: (args) =>
    (hasLong(args, 'force', 'force-with-lease', 'mirror', 'delete', 'prune') ||
      hasLetter(args, 'fd') ||
      args.some((arg) => /^[+:]./.test(arg))) &&
    'rewrites or deletes what is on the server (git push --force)',
  clean: (args) => !hasLong(args, 'dry-run') && !hasLetter(args, 'n') && 'deletes untracked files (git clean)',
  checkout: (args) =>
    (args.includes('--') || args.includes('.') || hasLong(args, 'force', 'ours', 'theirs') || hasLetter(args, 'fB')) &&
    `${discards} (git checkout)`,
  'checkout-index': (args) => (hasLong(args, 'force') || hasLetter(args, 'f')) && `${discards} (git checkout-index)`,
  switch: (args) =>
    (hasLong(args, 'force', 'discard-changes', 'force-create') || hasLetter(args, 'fC')) && `${discards} (git switch)`,
  restore: (args) =>
    (!hasLong(args, 'staged') || hasLong(args, 'worktree')) &&
    (!hasLetter(args, 'S') || hasLetter(args, 'W')) &&
    `${discards} (git restore)`,
  'read-tree': (args) => (hasLong(args, 'reset') || hasLetter(args, 'u')) && `${discards} (git read-tree)`,
  // `-d` alone deletes only what is merged.
  branch: (args) => (hasLong(args, 'force') || hasLetter(args, 'DMCf')) && 'deletes a branch (git branch -D)',
  tag: (args) => (hasLong(args, 'delete', 'force') || hasLetter(args, 'df')) && 'deletes a tag (git tag -d)',
  'update-ref': (args) => (hasLetter(args, 'd') || hasLong(args, 'stdin')) && 'deletes a ref (git update-ref -d)',
  stash: (args) => (args.includes('drop') || args.includes('clear')) && 'deletes stashed work (git stash)',
  reflog: (args) =>
    (args.includes('expire') || args.includes('delete')) && 'deletes the history needed to undo changes (git reflog)',
  gc: (args) => hasLong(args, 'prune') && 'deletes objects that nothing names (git gc --prune)',
  prune: () => 'deletes objects that nothing names (git prune)',
  rm: (args) => (hasLong(args, 'force') || hasLetter(args, 'f')) && 'deletes files with their changes (git rm -f)',
  fetch: (args) =>
    (hasLong(args, 'force') || hasLetter(args, 'fu') || args.some((arg) => /^\+/.test(arg))) &&
    'overwrites branches (git fetch --force)',
  worktree: (args) => args.includes('remove') && 'removes a worktree (git worktree remove)',
  'filter-branch': () => 'rewrites history',
  'filter-repo': () => 'rewrites history',
};

/** `args`: the words after `git`. */
export function findGitDestroys(args: Args): string | undefined {
  const at = args.findIndex((arg, index) => !arg.startsWith('-') && !/^-[Cc]$/.test(args[index - 1] ?? ''));
  const name = args[at] ?? '';
  const mark = Object.hasOwn(MARKS, name) ? MARKS[name] : undefined;
  return mark?.(args.slice(at + 1)) || undefined;
}
