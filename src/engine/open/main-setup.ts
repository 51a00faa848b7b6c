/** The setup of the main agent: its system prompt with the output style, effort, limits. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import { configDir, managedFolder } from '../../config/paths.js';
import type { Plugin } from '../../config/plugins/plugin.js';
import { settingOf } from '../../config/settings/settings-table.js';
import { systemPrompt } from '../../context/system-prompt.js';
import type { MainSetup } from '../main-agent.js';
import type { SessionOptions } from '../session-options.js';
import type { FolderConfig } from './read-config.js';
import { SessionStyle, type SessionStyleOptions } from './session-style.js';

export function mainSetup(
  options: SessionOptions,
  { settings: { settings } }: FolderConfig,
  {
    definition,
    equipment,
    style,
    announcements,
  }: Pick<MainSetup, 'definition' | 'equipment' | 'style' | 'announcements'>,
): MainSetup {
  const { systemPrompt: given } = options;
  // An agent without its own prompt uses ours; an explicitly empty one means none.
  const prompt = given ?? (definition?.prompt.trim() ? definition.prompt : undefined);
  return {
    definition,
    thinks: settingOf(settings, 'alwaysThinkingEnabled'),
    thinking: options.thinking,
    effort: options.effort ?? definition?.effort ?? settings.effort,
    taskBudget: options.taskBudget,
    parametersGiven: [options.effort, options.thinking, options.taskBudget].some((one) => one !== undefined),
    maxTurns: options.maxTurns ?? definition?.maxTurns ?? Number.POSITIVE_INFINITY,
    get system() {
      return [
        ...systemPrompt({
          ...(prompt === undefined ? {} : { replace: prompt }),
          ...(options.appendSystemPrompt === undefined ? {} : { append: options.appendSystemPrompt }),
          style: style.now,
        }),
        ...(equipment?.system ?? []),
      ];
    },
    style,
    equipment,
    announcements,
  };
}

type StylePlace = {
  readonly options: SessionOptions;
  readonly folder: string;
  readonly repoRoot: string | undefined;
  readonly plugins: readonly Plugin[];
};

/** Reads nothing before a style is selected. */
export function openStyle(
  { options, folder, repoRoot, plugins }: StylePlace,
  { host, trusted }: FolderConfig,
  definition: AgentDefinition | undefined,
  readSetting: SessionStyleOptions['readSetting'],
): SessionStyle {
  return new SessionStyle({
    host,
    cwd: folder,
    repoRoot,
    userDir: configDir(host.env),
    managedDir: managedFolder(host.env),
    plugins,
    trusted,
    sources: options.settingSources,
    // A style can't add to a system prompt that is not ours.
    isUsed: definition === undefined && options.systemPrompt === undefined,
    readSetting,
  });
}
