/** The environment variables of a process. */

export type Environment = Readonly<Record<string, string | undefined>>;

/** True if the user is on another machine: this one's clipboard and browser are not theirs. */
export function isOverSsh(env: Environment): boolean {
  return Boolean(env.SSH_CONNECTION || env.SSH_CLIENT || env.SSH_TTY);
}
