/** The environment variables of a process. */

export type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the person sits at another machine: what this one has (a clipboard, a browser) is not theirs. */
export function isOverSsh(env: Environment): boolean {
  return Boolean(env.SSH_CONNECTION || env.SSH_CLIENT || env.SSH_TTY);
}
