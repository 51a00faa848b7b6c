/** What a session can be opened with. The command line and the library give the same. */

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
  /** Where the work is done; the process's folder if omitted. */
  readonly cwd?: string;
  readonly env?: Environment;
  /** Another machine than the real one. */
  readonly host?: Host;
  /** An alias or a full id. */
  readonly model?: string;
  readonly effort?: string;
  /** Whether and how the model thinks; omitted: as the model and the settings have it. */
  readonly thinking?: ThinkingChoice;
  /** Another model for the turn in which this one is overloaded: an alias or a full id. */
  readonly fallbackModel?: string;
  /** Beta features of the API, by the names its header takes. */
  readonly betas?: readonly string[];
  /** How many tokens the model is told it has for the whole task. It paces itself by that; `maxTokens` is what holds. */
  readonly taskBudget?: number;
  readonly permissionMode?: PermissionMode;
  /** It may be switched to bypassPermissions later. Without this, only if it was opened in that mode. */
  readonly allowBypass?: boolean;
  /** Permission rules, as in settings files. */
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  /** Only these of the built-in tools, for all agents; none with an empty list. Tools of servers and `tools` stay. */
  readonly builtInTools?: readonly string[];
  /** Only these skills, by name; omitted: all. */
  readonly onlySkills?: readonly string[];
  /** A JSON schema: each prompt ends with a value that fits it, or with a result that says why not. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** Further folders the agent may work in. */
  readonly addDirs?: readonly string[];
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly maxTurns?: number;
  readonly maxUsd?: number;
  readonly maxTokens?: number;
  readonly sessionId?: string;
  /** A name for people; lists of sessions show it. */
  readonly name?: string;
  /** `false`: nothing of it is on disk once it is closed, and it can't be resumed. */
  readonly persist?: boolean;
  /** Go on with a session that was: its id (or enough of it), or `latest` of this folder. */
  readonly resume?: string;
  /**
   * With `resume`, without a person: how long agents that go on by themselves may take before the main agent does. Then
   * they are stopped, and `settled()` names them. Omitted: as long as they need.
   */
  readonly resumeWaitMs?: number;
  /** With `resume`: go on as a new session and leave the old one as it is. */
  readonly branch?: boolean;
  /** With `resume`: go on from just after this message, by the id that `stream-json` gives it. */
  readonly resumeAt?: string;
  /** With `resume`: go back to before the person's n-th prompt first. Files that others changed since are left alone. */
  readonly rewind?: RewindRequest;
  /**
   * Work in a git worktree of the folder's repository: a new one, or the one of this name, which is made if it is not
   * there. With `resume`: the sessions of that worktree. On leaving it is removed if nothing changed in it.
   */
  readonly worktree?: string | true;
  /** Settings in the shape of a settings file: a file's path or JSON. */
  readonly settings?: string;
  /** Whose files count: settings, instructions, agents, skills, styles and servers. All if omitted; what is managed always does. */
  readonly settingSources?: readonly SettingSource[];
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
  /** A file to which lines are added about what happens, without what is said and without keys. */
  readonly debugFile?: string;
  /** Another way to a model than the Messages API. */
  readonly modelClient?: ModelClient;
  /** Hooks as functions or commands, beside those of the settings. */
  readonly hooks?: HooksConfig;
  /** Asked when a call needs the person's word. Omitted: such calls are denied. */
  readonly onPermission?: AskPermission;
  /** Asked what MCP servers ask the person; omitted: `onPermission` is. */
  readonly onElicitation?: AskPermission;
  /** Tell of what hooks do (`hook-began`, `hook-finished`). */
  readonly hookEvents?: boolean;
  /** Tell what each tool answers, in the shape that PostToolUse hooks read (`call-answered`). */
  readonly toolResponses?: boolean;
  /** Sees everything that happens. */
  readonly onEvent?: Listener;
};

/** Why a session could not be opened, with what to do about it. */
export type OpenFailure = Failure & {
  readonly kind: 'usage' | 'settings' | 'no-key' | 'connection' | 'folder' | 'state';
};
