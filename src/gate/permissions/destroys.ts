/** Describes what a command would destroy, for you to read before allowing it (GT-11). */

import { findProgram } from './programs/find-program.js';
import { readCommand } from './shell/reading/read-command.js';
import { reachCommands } from './shell/restrictions/reach-commands.js';
import { programName } from './shell/restrictions/wrappers.js';

/** Empty if nothing stands out. Each kind is listed once. */
export function destroys(command: string): readonly string[] {
  const reading = readCommand(command);
  const marks = new Set<string>();
  for (const { words, start } of reachCommands(reading).candidates) {
    const [name, ...args] = words.slice(start, start + 200).map((word) => word ?? '');
    const mark = name === undefined ? undefined : findProgram(programName(name))?.destroys?.(args);
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
