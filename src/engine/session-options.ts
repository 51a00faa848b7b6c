/** What a session can be opened with. The command line and the library give the same. */

import type { HooksConfig } from '../gate/hooks/hook-config.js';
import type { Environment, Host } from '../host/host.js';
import type { ModelClient } from '../model/model-client.js';
import type { Listener } from '../protocol/events.js';
import type { AskPermission, PermissionMode } from '../protocol/permission.js';
import type { RewindRequest } from '../session/files/rewind.js';
import type { Tool } from '../tools/tool.js';

export type SessionOptions = {
  /** Where the work is done; the process's folder if omitted. */
  readonly cwd?: string;
  readonly env?: Environment;
  /** Another machine than the real one. */
  readonly host?: Host;
  /** An alias or a full id. */
  readonly model?: string;
  readonly effort?: string;
  readonly permissionMode?: PermissionMode;
  /** Permission rules, as in settings files. */
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  /** Further folders the agent may work in. */
  readonly addDirs?: readonly string[];
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly maxTurns?: number;
  readonly maxUsd?: number;
  readonly maxTokens?: number;
  readonly sessionId?: string;
  /** Go on with a session that was: its id (or enough of it), or `latest` of this folder. */
  readonly resume?: string;
  /**
   * With `resume`, without a person: how long agents that go on by themselves may take before the main agent does. Then
   * they are stopped, and `settled()` names them. Omitted: as long as they need.
   */
  readonly resumeWaitMs?: number;
  /** With `resume`: go on as a new session and leave the old one as it is. */
  readonly branch?: boolean;
  /** With `resume`: go back to before the person's n-th prompt first. Files that others changed since are left alone. */
  readonly rewind?: RewindRequest;
  /**
   * Work in a git worktree of the folder's repository: a new one, or the one of this name, which is made if it is not
   * there. With `resume`: the sessions of that worktree. On leaving it is removed if nothing changed in it.
   */
  readonly worktree?: string | true;
  /** Settings in the shape of a settings file: a file's path or JSON. */
  readonly settings?: string;
  readonly settingSources?: readonly ('user' | 'project' | 'local')[];
  /** Trust the folder for this session. */
  readonly trust?: boolean;
  /** MCP servers beside those of files: paths of files, or JSON, in the shape of `.mcp.json`. */
  readonly mcpConfig?: readonly string[];
  /** No MCP servers but those of `mcpConfig` and `mcpServers`. */
  readonly strictMcpConfig?: boolean;
  /** MCP servers by name: entries as in `.mcp.json`, or servers of the MCP SDK, which are connected in this process. */
  readonly mcpServers?: Readonly<Record<string, unknown>>;
  /** Folders of plugins, beside those that settings name; they win by name. */
  readonly pluginDirs?: readonly string[];
  /** Agent definitions beside those of files, in the shape of `--agents`: name → fields, with `prompt` for the body. */
  readonly agents?: unknown;
  /** Run the session itself as this agent. */
  readonly agent?: string;
  /** Forks for the model: on or off; unset, on where a person watches. `session.fork()` needs no flag. */
  readonly fork?: 'on' | 'off';
  /** The main agent only delegates: every child runs in the background. */
  readonly coordinator?: boolean;
  /**
   * No model works in the main agent: clients call its tools (`call-tool`). Nothing goes to the background, because nobody
   * would read the notice, and nothing wakes the main agent. Opens without a key too: then only agents don't work.
   */
  readonly onlyCalls?: boolean;
  /** A person watches and can be asked. */
  readonly interactive?: boolean;
  /** Tools of your own, beside the built-in ones. */
  readonly tools?: readonly Tool[];
  /** A file to record the traffic with the model in, without keys. One that exists is refused. */
  readonly record?: string;
  /**
   * A file that was recorded: its answers are played, and nothing is connected to. A request that differs from the
   * recorded one fails with the difference; `session.replay` says how it stands.
   */
  readonly replay?: string;
  /** Another way to a model than the Messages API. */
  readonly modelClient?: ModelClient;
  /** Hooks as functions or commands, beside those of the settings. */
  readonly hooks?: HooksConfig;
  /** Asked when a call needs the person's word. Omitted: such calls are denied. */
  readonly onPermission?: AskPermission;
  /** Sees everything that happens. */
  readonly onEvent?: Listener;
};

/** Why a session could not be opened, with what to do about it. */
export type OpenFailure = {
  readonly ok: false;
  readonly kind: 'usage' | 'settings' | 'no-key' | 'connection' | 'folder' | 'state';
  readonly reason: string;
};
