/** A plugin: a folder with agents, skills, commands, styles, hooks and servers, as found (EX-6, EX-17 to EX-20). */

import type { HooksSetting } from '../settings/setting-shapes.js';
import type { Approval } from '../trust.js';

/** Tools and hooks that a skill or command of a plugin grants. */
export type Grant = {
  /** Relative to the plugin. */
  readonly file: string;
  readonly tools?: readonly string[];
  readonly hooks?: HooksSetting;
};

export type Plugin = {
  /** The prefix of its parts: `name:part`. */
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  /** Links resolved. */
  readonly folder: string;
  /** The source that names it: a settings file, or `--plugin-dir`. */
  readonly origin: { readonly scope: 'flag' | 'managed' | 'user' | 'project' | 'local'; readonly file: string };
  /** Folders, and single files, that agent definitions are read from. */
  readonly agents: readonly string[];
  /** Folders with `<name>/SKILL.md` in them; a file is one skill. */
  readonly skills: readonly string[];
  /** Folders, and single files. */
  readonly commands: readonly string[];
  readonly outputStyles: readonly string[];
  /** Files of hooks: `hooks/hooks.json`, those of the manifest. Empty while it is not approved. */
  readonly hooks: readonly { readonly file: string; readonly hooks: unknown }[];
  /** Entries of MCP servers by name. Empty while it is not approved. */
  readonly servers: readonly { readonly file: string; readonly servers: Readonly<Record<string, unknown>> }[];
  /** The grants of its skills, as shown for approval. */
  readonly grants: readonly Grant[];
  /** Programs, last on the `PATH`. Absent while it is not approved. */
  readonly bin?: string;
  /** `CLAUDE_PLUGIN_ROOT`, `CLAUDE_PLUGIN_DATA` and the same without `CLAUDE_`: replaced in its texts, passed to its processes. */
  readonly variables: Readonly<Record<string, string>>;
  /** Your options for it: `${user_config.key}` outside shell lines, `CLAUDE_PLUGIN_OPTION_KEY` for its processes. */
  readonly options: Readonly<Record<string, string>>;
  /** Bound to the content of its folder. */
  readonly approval: Approval;
  /** Its hooks, servers, programs and granted tools apply. Also false if it has none of them. */
  readonly isApproved: boolean;
};
