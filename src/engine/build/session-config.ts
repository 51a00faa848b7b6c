/** The resolved inputs of a session: flags, settings, folder and stored state. Fixed for its lifetime. */

import type { SessionLayout } from '../../config/paths.js';
import type { Plugin } from '../../config/plugins/plugin.js';
import type { SettingsResult } from '../../config/settings/read-settings.js';
import type { CurrentInstructions } from '../../context/current-instructions.js';
import type { Instructions } from '../../context/instructions.js';
import type { Host } from '../../host/host.js';
import type { EndedProcess } from '../../host/processes.js';
import type { Pace } from '../../loop/ports.js';
import { type ModelOverrides, resolveModel } from '../../model/models.js';
import type { ModelProvider } from '../../model/provider.js';
import type { AgentWorktree } from '../../protocol/events.js';
import type { PermissionMode } from '../../protocol/permission.js';
import type { SessionServersFound } from '../mcp/find-session-servers.js';
import type { WorktreeFolders } from '../open/read-instructions.js';
import type { SessionOptions } from '../session-options.js';

export type SessionConfig = {
  readonly id: string;
  readonly options: SessionOptions;
  readonly host: Host;
  readonly folder: string;
  readonly projectRoot: string;
  /** The project whose approvals apply: for a session in a worktree, the one it was requested in. */
  readonly approvalsRoot: string;
  readonly repoRoot: string | undefined;
  /** The worktree that the session itself works in. */
  readonly worktree: AgentWorktree | undefined;
  /** The folders agents may work in. */
  readonly roots: readonly string[];
  readonly trusted: boolean;
  readonly settings: SettingsResult;
  /** As they were when it was opened, without unapproved ones. */
  readonly plugins: readonly Plugin[];
  /** MCP servers. */
  readonly servers: SessionServersFound;
  readonly models: ModelOverrides;
  /** The name or id of the model it starts with. */
  readonly model: string;
  readonly provider: ModelProvider;
  /** For a replay. */
  readonly pace?: Pace | undefined;
  readonly layout: SessionLayout;
  readonly instructions: CurrentInstructions;
  /** The instructions in a worktree, as they are when the first agent works there. */
  instructionsIn(folders: WorktreeFolders): Promise<Instructions>;
  /** Processes left by an earlier process of this session; they have been ended. */
  readonly orphans: readonly EndedProcess[];
  /** The mode it starts in. */
  readonly mode: PermissionMode;
};

/** The model's id; undefined if there is no fallback. */
export function fallbackOf({ options, settings, models, model }: SessionConfig): string | undefined {
  if (options.fallbackModel !== undefined) return resolveModel(options.fallbackModel, models);
  const named = [settings.settings.fallbackModel ?? []].flat().map((name) => resolveModel(name, models));
  return named.find((id) => id !== resolveModel(model, models));
}
