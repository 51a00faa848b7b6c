/** Distinguishes slash commands and shell or note lines from prompts. */

import { findSlashCommand } from '../../protocol/slash-commands.js';

/** True for a built-in command. Custom commands, skills and server prompts are sent as prompts: every client has them. */
export function isCommand(line: string): boolean {
  // A slash alone is a request for help.
  if (line.trim() === '/') return true;
  const word = /^\/([A-Za-z?][\w-]*)(?:\s|$)/.exec(line.trimStart())?.[1];
  return word !== undefined && findSlashCommand(word) !== undefined;
}

/** True for `!` and a shell command, or `#` and a note. Several lines that begin so are a prompt: a script, a heading. */
export function isShellOrNote(line: string): boolean {
  return /^\s*[!#]\s*[^\s!#]/.test(line) && !line.trim().includes('\n');
}
