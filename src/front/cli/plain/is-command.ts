/** Tells a command from a prompt. */

/** A word after a slash, without another slash: a path such as /tmp/x is a prompt, and so is a prompt of a server. */
export function isCommand(line: string): boolean {
  return /^\/(?!mcp__)[A-Za-z?][\w-]*(?:\s|$)/.test(line.trimStart());
}
