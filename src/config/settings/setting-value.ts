/** Reads and writes the value of a dotted key (`worktree.sparsePaths`) in a settings object. */

import type { SettingName } from './setting-keys.js';
import type { Settings } from './settings-schema.js';

export function getSetting(settings: Settings, name: SettingName): unknown {
  const [first = name, second] = name.split('.');
  const value = settings[first];
  if (second === undefined) return value;
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[second] : undefined;
}

export function setSetting(settings: Settings, name: SettingName, value: unknown): void {
  const [first = name, second] = name.split('.');
  if (second === undefined) settings[first] = value;
  else settings[first] = { ...(settings[first] as Record<string, unknown> | undefined), [second]: value };
}
