/** The options of a session, for the command line and the library. */

import type { SettingSource } from '../config/settings/setting-sources.js';
import type { HooksConfig } from '../gate/hooks/hook-config.js';
import type { Environment, Host } from '../host/host.js';
import type { ModelClient } from '../model/model-client.js';
import type { ThinkingChoice } from '../protocol/commands.js';
import type { Listener } from '../protocol/events.js';
import type { AskPermission, PermissionMode } from '../protocol/permission.js';
import type { Failure } from '../protocol/result.js';
import type { RewindRequest } from '../session/files/rewind.js';
import type { Tool } from '../tools/tool.js';

export type SessionOptions = {
  /** The working folder; the process's folder if omitted. */
  readonly cwd?: string;
  readonly env?: Environment;
  /** A host other than the real machine. */
  readonly host?: Host;
  /** An alias or a full id. */
  readonly model?: string;
  readonly effort?: string;
  /** If and how the model thinks; omitted: the default of the model and the settings. */
  readonly thinking?: ThinkingChoice;
  /** The model for a turn in which this one is overloaded: an alias or a full id. */
  readonly fallbackModel?: string;
  /** Beta features of the API, by their header names. */
  readonly betas?: readonly string[];
  /**
   * The token budget stated to the model for the whole task, so that it can pace itself; `maxTokens` is the hard limit.
   */
  readonly taskBudget?: number;
  readonly permissionMode?: PermissionMode;
  /** Allows a later switch to bypassPermissions. Otherwise it must be opened in that mode. */
  readonly allowBypass?: boolean;
  /** Permission rules, as in settings files. */
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  /** Only these built-in tools, for all agents; none with an empty list. Server tools and `tools` stay. */
  readonly builtInTools?: readonly string[];
  /** Only these skills, by name; omitted: all. */
  readonly onlySkills?: readonly string[];
  /** A JSON schema: each prompt ends with a value that fits it, or with a result that explains why not. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** More folders the agent may work in. */
  readonly addDirs?: readonly string[];
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly maxTurns?: number;
  readonly maxUsd?: number;
  readonly maxTokens?: number;
  readonly sessionId?: string;
  /** A display name; session lists show it. */
  readonly name?: string;
  /** `false`: nothing of it is on disk once it is closed, and it can't be resumed. */
  readonly persist?: boolean;
  /** Resumes a session: its id (or a unique prefix), or `latest` of this folder. */
  readonly resume?: string;
  /**
   * With `resume`, headless: how long automatically resumed agents may take before the main agent continues. Then they
   * are stopped, and `settled()` names them. Omitted: no limit.
   */
  readonly resumeWaitMs?: number;
  /** With `resume`: continue as a new session and leave the old one unchanged. */
  readonly branch?: boolean;
  /** With `resume`: continue right after this message, by its `stream-json` id. */
  readonly resumeAt?: string;
  /** With `resume`: rewind to before your n-th prompt first. Files that others have changed since are left alone. */
  readonly rewind?: RewindRequest;
  /**
   * Work in a git worktree of the folder's repository: a new one, or the one of this name, created if it does not
   * exist. With `resume`: the sessions of that worktree. It is removed at the end if nothing changed in it.
   */
  readonly worktree?: string | true;
  /** Settings in the format of a settings file: a path or JSON. */
  readonly settings?: string;
  /**
   * The sources that apply: settings, instructions, agents, skills, styles and servers. All if omitted; managed ones
   * always apply.
   */
  readonly settingSources?: readonly SettingSource[];
  /** Trust the folder for this session. */
  readonly trust?: boolean;
  /** More MCP servers: paths of files, or JSON, in the format of `.mcp.json`. */
  readonly mcpConfig?: readonly string[];
  /** No MCP servers but those of `mcpConfig` and `mcpServers`. */
  readonly strictMcpConfig?: boolean;
  /** MCP servers by name: entries as in `.mcp.json`, or servers of the MCP SDK, which are connected in this process. */
  readonly mcpServers?: Readonly<Record<string, unknown>>;
  /** More plugin folders; they override those in settings by name. */
  readonly pluginDirs?: readonly string[];
  /** More agent definitions, in the format of `--agents`: name → fields, with `prompt` for the body. */
  readonly agents?: unknown;
  /** Run the session itself as this agent. */
  readonly agent?: string;
  /** Forks for the model: on or off; unset: on in interactive sessions. `session.fork()` needs no flag. */
  readonly fork?: 'on' | 'off';
  /** The main agent only delegates: every child runs in the background. */
  readonly coordinator?: boolean;
  /**
   * No model runs in the main agent: clients call its tools (`call-tool`). Nothing moves to the background, because
   * nobody would read the notice, and nothing wakes the main agent. Opens without a key, too: then only agents don't
   * work.
   */
  readonly onlyCalls?: boolean;
  /** A user watches and can be asked. */
  readonly interactive?: boolean;
  /** Your own tools, in addition to the built-in ones. */
  readonly tools?: readonly Tool[];
  /** A file to record the model traffic in, without keys. An existing file is refused. */
  readonly record?: string;
  /**
   * A recorded file: its answers are replayed without any connection. A request that differs from the recorded one
   * fails with the difference; `session.replay` has the status.
   */
  readonly replay?: string;
  /** A file to append debug lines to, without message contents and without keys. */
  readonly debugFile?: string;
  /** A model client other than the Messages API. */
  readonly modelClient?: ModelClient;
  /** Hooks as functions or commands, in addition to those of the settings. */
  readonly hooks?: HooksConfig;
  /** Called when a call needs your permission. Omitted: such calls are denied. */
  readonly onPermission?: AskPermission;
  /** Called for questions of MCP servers; omitted: `onPermission` is called. */
  readonly onElicitation?: AskPermission;
  /** Report what hooks do (`hook-began`, `hook-finished`). */
  readonly hookEvents?: boolean;
  /** Report each tool's response, in the format that PostToolUse hooks read (`call-answered`). */
  readonly toolResponses?: boolean;
  /** Receives all events. */
  readonly onEvent?: Listener;
};

/** The reason why a session could not be opened, and what to do about it. */
export type OpenFailure = Failure & {
  readonly kind: 'usage' | 'settings' | 'no-key' | 'connection' | 'folder' | 'state';
};

export function usageFailure(reason: string): OpenFailure {
  return { ok: false, kind: 'usage', reason };
}
