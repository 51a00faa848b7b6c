/** What a terminal does when its window changes, which it does not tell. */

export type ResizeWays = {
  /** It wraps its rows anew when the window gets narrower. Others cut them. */
  readonly reflows: boolean;
  /** The window is being made narrower until this long after the last step that we heard of. */
  readonly narrowingMs: number;
};

export function waysOf(env: Readonly<Record<string, string | undefined>>): ResizeWays {
  // tmux wraps rows whatever it calls itself. It tells the first step at once, the others every 250 ms.
  if (env.TMUX) return { reflows: true, narrowingMs: 400 };
  const cuts = Boolean(env.STY || env.XTERM_VERSION) || /^(linux|screen|dumb)/.test(env.TERM ?? '');
  return { reflows: !cuts, narrowingMs: 120 };
}
