/** Collects the settings that other rooms use item by item, each with its origin: rules, hooks, folders, env, agents. */

import type { Environment } from '../../host/host.js';
import { absolutePath, userHome } from '../paths.js';
import type { Layer, Origin, SettingEntry } from './merge-settings.js';
import type { HookGroup } from './setting-shapes.js';

export type SettingSources = {
  readonly rules: readonly SourcedRule[];
  readonly hooks: readonly SourcedHook[];
  /** Absolute, links not resolved. */
  readonly additionalDirectories: readonly { readonly path: string; readonly origin: Origin }[];
  readonly environment: Readonly<Record<string, string>>;
  readonly agents: readonly SourcedAgent[];
};

export type SourcedRule = {
  readonly behavior: 'allow' | 'ask' | 'deny';
  readonly rule: string;
  readonly origin: Origin;
};

export type SourcedHook = { readonly event: string; readonly group: HookGroup; readonly origin: Origin };

export type SourcedAgent = { readonly name: string; readonly value: unknown; readonly origin: Origin };

export function collectSources(
  entries: readonly SettingEntry[],
  layers: readonly Layer[],
  at: { readonly env: Environment },
): SettingSources {
  const named = (name: SettingEntry['name']) => entries.filter((entry) => entry.name === name);
  const rules = (behavior: SourcedRule['behavior']) =>
    named(`permissions.${behavior}`).map(
      ({ value, origin }): SourcedRule => ({ behavior, rule: String(value), origin }),
    );
  return {
    rules: [...rules('deny'), ...rules('ask'), ...rules('allow')],
    hooks: named('hooks').map(({ item = '', value, origin }) => ({ event: item, group: value as HookGroup, origin })),
    additionalDirectories: named('permissions.additionalDirectories').map(({ value, origin }) => ({
      path: absolutePath(String(value), origin.folder, userHome(at.env)),
      origin,
    })),
    environment: Object.fromEntries(named('env').map(({ item = '', value }) => [item, String(value)])),
    // From every layer, not only the highest: shadowed agents are reported, and trust can change the order.
    agents: layers.flatMap(({ origin, settings }) =>
      Object.entries(settings.agents ?? {}).map(([name, value]) => ({ name, value, origin })),
    ),
  };
}
