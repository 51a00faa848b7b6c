/** Tells a command from a prompt. */

import { findSlashCommand } from '../../protocol/slash-commands.js';

/** A command of ours. The person's own, skills and prompts of servers are prompts: every client has them. */
export function isCommand(line: string): boolean {
  // Who types a slash alone wants to know what can follow it.
  if (line.trim() === '/') return true;
  const word = /^\/([A-Za-z?][\w-]*)(?:\s|$)/.exec(line.trimStart())?.[1];
  return word !== undefined && findSlashCommand(word) !== undefined;
}

/** `!` and a line for the shell, `#` and a line to be kept. Several lines that begin so are a prompt: a script, a heading. */
export function isShellOrNote(line: string): boolean {
  return /^\s*[!#]\s*[^\s!#]/.test(line) && !line.trim().includes('\n');
}
