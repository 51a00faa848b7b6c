/** Merges layers of settings, highest first. Every value carries the file it came from. Pure. */

import type { HookGroup, HooksSetting } from './setting-shapes.js';
import { getSetting, SETTING_NAMES, SETTINGS, type SettingName, type Settings } from './settings-table.js';

type SettingScope = 'managed' | 'command line' | 'local' | 'project' | 'user';

export type Origin = {
  readonly scope: SettingScope;
  /** The settings file, or a source such as `--settings`. */
  readonly file: string;
  /** The base for patterns that start with `/`: the project's root, or the user's config folder. */
  readonly folder: string;
};

export function isOfProject({ scope }: Pick<Origin, 'scope'>): boolean {
  return scope === 'project' || scope === 'local';
}

export type Layer = { readonly origin: Origin; readonly settings: Settings };

/** One effective value. Lists and maps have one entry for each item. */
export type SettingEntry = {
  readonly name: SettingName;
  /** The key in a map, or the event of a hook. */
  readonly item?: string;
  readonly value: unknown;
  readonly origin: Origin;
};

export type MergedSettings = { readonly settings: Settings; readonly entries: readonly SettingEntry[] };

export function mergeSettings(layers: readonly Layer[]): MergedSettings {
  const settings: Settings = {};
  const entries: SettingEntry[] = [];
  for (const name of SETTING_NAMES) {
    const own = entriesOf(name, layers);
    if (own.length === 0) {
      if (LIMITS.has(name) && layers.some(({ settings: one }) => getSetting(one, name) !== undefined)) {
        setSetting(settings, name, []);
      }
      continue;
    }
    // Not push(...own): a project's list may be longer than the argument limit of a call.
    for (const entry of own) entries.push(entry);
    setSetting(settings, name, assemble(name, own));
  }
  return { settings, entries };
}

/** Allowlists: an empty one allows nothing. */
const LIMITS: ReadonlySet<SettingName> = new Set(['allowedHttpHookUrls', 'httpHookAllowedEnvVars']);

function entriesOf(name: SettingName, layers: readonly Layer[]): readonly SettingEntry[] {
  const given = layers.flatMap(({ origin, settings }) => {
    const value = getSetting(settings, name);
    return value === undefined ? [] : [{ value, origin }];
  });
  const { merge } = SETTINGS[name];
  switch (merge) {
    case 'single':
      return given.slice(0, 1).map((one) => ({ name, ...one }));
    case 'list':
      return given.flatMap(({ value, origin }) =>
        (value as readonly unknown[]).map((item) => ({ name, value: item, origin })),
      );
    case 'map':
      return firstOfEach(
        given.flatMap(({ value, origin }) =>
          Object.entries(value as object).map(([item, member]) => ({ name, item, value: member, origin })),
        ),
      );
    case 'events':
      return given.flatMap(({ value, origin }) =>
        Object.entries(value as HooksSetting).flatMap(([item, groups]) =>
          groups.map((group) => ({ name, item, value: group, origin })),
        ),
      );
    default:
      return merge satisfies never;
  }
}

function firstOfEach<T extends { readonly item: string }>(entries: readonly T[]): readonly T[] {
  const seen = new Set<string>();
  return entries.filter(({ item }) => !seen.has(item) && seen.add(item));
}

function assemble(name: SettingName, entries: readonly SettingEntry[]): unknown {
  const { merge } = SETTINGS[name];
  switch (merge) {
    case 'single':
      return entries[0]?.value;
    case 'list':
      return [...new Set(entries.map((entry) => entry.value))];
    case 'map':
      return Object.fromEntries(entries.map((entry) => [entry.item, entry.value]));
    case 'events': {
      const events = [...new Set(entries.map((entry) => entry.item ?? ''))];
      return Object.fromEntries(events.map((event) => [event, groupsOf(event, entries)]));
    }
    default:
      return merge satisfies never;
  }
}

function groupsOf(event: string, entries: readonly SettingEntry[]): readonly HookGroup[] {
  return entries.filter((entry) => entry.item === event).map((entry) => entry.value as HookGroup);
}

export function setSetting(settings: Settings, name: SettingName, value: unknown): void {
  const [first = name, second] = name.split('.');
  if (second === undefined) settings[first] = value;
  else settings[first] = { ...(settings[first] as Record<string, unknown> | undefined), [second]: value };
}
