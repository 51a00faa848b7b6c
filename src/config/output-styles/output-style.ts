/** An output style: how the main agent writes and works, as a text for its system prompt (EX-21). */

export type OutputStyle = {
  /** What it is called by; that of a plugin is `plugin:name`. */
  readonly name: string;
  readonly description: string;
  /** Our own text about working on code stays beside it. */
  readonly keepsCoding: boolean;
  readonly prompt: string;
  readonly source: StyleSource;
};

export type StyleSource = {
  readonly scope: 'managed' | 'project' | 'user' | 'plugin' | 'built-in';
  /** Empty for a built-in one. */
  readonly file: string;
  readonly plugin?: string;
};

/** No style: our own text as it is. */
export const DEFAULT_STYLE = 'default';
