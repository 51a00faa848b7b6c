/** Describes what a command would destroy, for you to read before allowing it (GT-11). */

import { reachCommands } from './shell/reach-commands.js';
import { readCommand } from './shell/read-command.js';
import { programName } from './shell/wrappers.js';

/** Empty if nothing stands out. Each kind is listed once. */
export function destroys(command: string): readonly string[] {
  const reading = readCommand(command);
  const marks = new Set<string>();
  for (const { words, start } of reachCommands(reading).candidates) {
    const [name, ...args] = words.slice(start, start + 200).map((word) => word ?? '');
    const mark = name === undefined ? undefined : markProgram(programName(name), args);
    if (mark !== undefined) marks.add(mark);
  }
  for (const { redirects } of reading.commands) {
    for (const redirect of redirects) {
      if (redirect.kind !== 'write' || /^\/dev\/(?:null|stdout|stderr)$/.test(redirect.target.value ?? '')) continue;
      marks.add(`overwrites ${redirect.target.value ?? redirect.target.raw}`);
    }
  }
  if (!reading.parsed) for (const mark of scan(command)) marks.add(mark);
  return [...marks];
}

function markProgram(name: string, args: readonly string[]): string | undefined {
  const has = (pattern: RegExp) => args.some((arg) => pattern.test(arg));
  switch (name) {
    case 'rm': {
      const deep = has(/^-[A-Za-z]*[rR]/) || has(/^--recursive/);
      if (deep) return 'deletes folders with everything in them (rm -r)';
      return 'deletes files (rm)';
    }
    case 'rmdir':
    case 'unlink':
    case 'shred':
      return `deletes (${name})`;
    case 'find':
      return has(/^-delete$/) ? 'deletes what it finds (find -delete)' : undefined;
    case 'dd':
      return has(/^of=/) ? 'overwrites what of= names (dd)' : undefined;
    case 'truncate':
      return 'cuts files (truncate)';
    case 'mv':
    case 'cp':
      return has(/^(?:-[A-Za-z]*f|--force)/) ? `overwrites without asking (${name} -f)` : undefined;
    case 'git':
      return markGit(args);
    case 'docker':
    case 'podman':
      return has(/^(?:prune|rm|rmi)$/) ? `removes containers, images or volumes (${name})` : undefined;
    default:
      return /^mkfs/.test(name) ? 'formats a file system (mkfs)' : undefined;
  }
}

function markGit(args: readonly string[]): string | undefined {
  const has = (pattern: RegExp) => args.some((arg) => pattern.test(arg));
  const is = (name: string) => args.includes(name);
  if (is('reset') && has(/^--(?:hard|merge|keep)/)) return 'throws away uncommitted work (git reset --hard)';
  if (is('push') && (has(/^--(?:force|mirror|delete|prune)/) || has(/^-[A-Za-z]*[fd]/) || has(/^\+/) || has(/^:/)))
    return 'rewrites or deletes what is on the server (git push --force)';
  if (is('clean') && !has(/^(?:-[A-Za-z]*n|--dry-run)/)) return 'deletes untracked files (git clean)';
  if (is('checkout') && (is('--') || is('.') || has(/^(?:-[A-Za-z]*f|--force)/)))
    return 'throws away changes to files (git checkout)';
  if (is('restore') && !is('--staged')) return 'throws away changes to files (git restore)';
  if (is('branch') && has(/^(?:-[A-Za-z]*[dD]|--delete)/)) return 'deletes a branch (git branch -d)';
  if (is('tag') && has(/^(?:-[A-Za-z]*d|--delete)/)) return 'deletes a tag (git tag -d)';
  if (is('stash') && (is('drop') || is('clear'))) return 'deletes stashed work (git stash)';
  if (is('reflog') && (is('expire') || is('delete'))) return 'deletes the history needed to undo changes (git reflog)';
  if (is('worktree') && is('remove')) return 'removes a worktree (git worktree remove)';
  if (is('filter-branch') || is('filter-repo')) return 'rewrites history';
  return undefined;
}

const SCANNED = 32_000;

/** For text that could not be parsed: scans its beginning and its end. */
function scan(text: string): readonly string[] {
  const ends = text.length > 2 * SCANNED ? `${text.slice(0, SCANNED)}\n${text.slice(-SCANNED)}` : text;
  const bare = ends.replace(/["'\\]/g, '');
  const marks: string[] = [];
  if (/\brm\s+-/.test(bare)) marks.push('deletes files (rm)');
  if (/\bgit\b[^\n]{0,200}\breset\b[^\n]{0,200}--hard/.test(bare))
    marks.push('throws away uncommitted work (git reset --hard)');
  if (/\bgit\b[^\n]{0,200}\bpush\b[^\n]{0,200}(?:--force|\s-f\b)/.test(bare))
    marks.push('rewrites or deletes what is on the server (git push --force)');
  if (/\bgit\b[^\n]{0,200}\bclean\b/.test(bare)) marks.push('deletes untracked files (git clean)');
  if (/(?<![-=>])>(?!>|&\d)/.test(bare)) marks.push('may overwrite files (>)');
  return marks;
}
