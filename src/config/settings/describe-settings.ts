/** Formats settings as rows for `coppice config`: each value with its file, secrets masked. */

import type { ProjectHook } from '../approvals/project-hooks.js';
import type { ProjectServer } from '../approvals/project-servers.js';
import { maskServer } from '../mcp/mask-server.js';
import { masked } from './mask-settings.js';
import type { Origin } from './merge-settings.js';
import type { SettingsResult } from './read-settings.js';
import { SETTINGS } from './settings-table.js';

export type SettingRow = {
  readonly key: string;
  /** As JSON; empty for keys that are not used. */
  readonly value: string;
  readonly file: string;
  readonly scope: Origin['scope'];
  readonly state: 'used' | 'not approved' | 'ignored' | 'unsupported' | 'unknown';
  /** A description of the key, or the reason why it is not used. */
  readonly note: string;
};

const REASONS = {
  untrusted: 'the folder is not trusted',
  reserved: "a project can't set this",
  wider: 'less strict than your own settings',
} as const;

const NOT_APPROVED = 'not running: start coppice here in a terminal to review it';

/** `unapproved`: hooks of the project that don't run; `waiting`: servers in its settings that don't. */
export function describeSettings(
  result: SettingsResult,
  unapproved: readonly ProjectHook[] = [],
  waiting: readonly Pick<ProjectServer, 'name' | 'origin'>[] = [],
): readonly SettingRow[] {
  const used = result.entries.map(({ name, item, value, origin }): SettingRow => {
    const { what } = SETTINGS[name];
    const key = item === undefined ? name : `${name}.${item}`;
    const isWaiting =
      (name === 'hooks' && unapproved.some(({ of }) => of === value)) ||
      (name === 'mcpServers' && waiting.some((one) => one.name === item && one.origin.file === origin.file));
    const state = isWaiting ? 'not approved' : 'used';
    const note = isWaiting ? NOT_APPROVED : what;
    const shown = name === 'mcpServers' ? maskServer(value) : masked(value, item ?? name);
    return { key, value: JSON.stringify(shown), ...from(origin), state, note };
  });
  return [
    ...used,
    ...noneAllowed(result),
    ...unapproved.flatMap(({ agent, event, group, origin }): readonly SettingRow[] => {
      const key = `agents.${agent}.hooks.${event}`;
      const value = JSON.stringify(masked(group, 'hooks'));
      return agent === undefined ? [] : [{ key, value, ...from(origin), state: 'not approved', note: NOT_APPROVED }];
    }),
    ...result.ignored.map(({ key, reason, origin }) => row(key, origin, 'ignored', REASONS[reason])),
    ...result.unsupported.map(({ key, origin }) => row(key, origin, 'unsupported', 'known, but has no effect here')),
    ...result.unknown.map(({ key, origin }) => row(key, origin, 'unknown', 'not a setting')),
  ];
}

/** An empty list has no items to show, but it is the strictest setting of all. */
function noneAllowed({ mcp }: SettingsResult): readonly SettingRow[] {
  if (mcp.noneAllowedBy === undefined) return [];
  const note = SETTINGS.allowedMcpServers.what;
  return [{ key: 'allowedMcpServers', value: '[]', ...from(mcp.noneAllowedBy), state: 'used', note }];
}

function row(key: string, origin: Origin, state: SettingRow['state'], note: string): SettingRow {
  return { key, value: '', ...from(origin), state, note };
}

function from({ file, scope }: Pick<Origin, 'file' | 'scope'>) {
  return { file, scope };
}
