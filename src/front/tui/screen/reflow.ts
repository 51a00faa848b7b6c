/** Whether this terminal wraps its rows anew when the window gets narrower. Those that don't cut them. */

export function wrapsAnew(env: Readonly<Record<string, string | undefined>>): boolean {
  // tmux does so whatever it calls itself, and hides the terminal around it.
  if (env.TMUX) return true;
  if (env.STY || env.XTERM_VERSION) return false;
  return !/^(linux|screen|dumb)/.test(env.TERM ?? '');
}
