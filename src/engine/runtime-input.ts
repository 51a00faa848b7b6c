/** What a crew is built from. */

import type { SessionLayout } from '../config/paths.js';
import type { SettingsResult } from '../config/settings/read-settings.js';
import type { Instructions } from '../context/instructions.js';
import type { Host } from '../host/host.js';
import type { ModelClient } from '../model/model-client.js';
import type { ModelOverrides } from '../model/models.js';
import type { PermissionMode } from '../protocol/permission.js';
import type { SessionOptions } from './session-options.js';

export type RuntimeInput = {
  readonly id: string;
  readonly options: SessionOptions;
  readonly host: Host;
  readonly folder: string;
  readonly projectRoot: string;
  readonly repoRoot: string | undefined;
  readonly roots: readonly string[];
  readonly trusted: boolean;
  readonly settings: SettingsResult;
  readonly models: ModelOverrides;
  readonly model: string;
  readonly client: ModelClient;
  readonly layout: SessionLayout;
  readonly instructions: Instructions;
  /** The mode a session that goes on was in. */
  readonly resumedMode?: PermissionMode;
};
