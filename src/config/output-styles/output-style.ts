/** An output style: a text for the system prompt about how the main agent writes and works (EX-21). */

export type OutputStyle = {
  /** Its full name; a plugin's is `plugin:name`. */
  readonly name: string;
  readonly description: string;
  /** Our own instructions about coding stay in addition to it. */
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

/** No style: our own instructions unchanged. */
export const DEFAULT_STYLE = 'default';
