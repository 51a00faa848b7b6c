/** Tells a command from a prompt. */

/** A word after a slash, without another slash: a path such as /tmp/x is a prompt. */
export function isCommand(line: string): boolean {
  return /^\/[A-Za-z?][\w-]*(?:\s|$)/.test(line.trimStart());
}
