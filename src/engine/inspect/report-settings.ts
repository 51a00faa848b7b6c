/** The settings of a session and its permission rules, for clients. No secret leaves. */

import type { SourcedRule } from '../../config/settings/collect-sources.js';
import { maskSettings } from '../../config/settings/mask-settings.js';
import type { Origin } from '../../config/settings/merge-settings.js';
import type { RulesReported, SettingsReported } from '../commands/command-results.js';
import type { Engine } from '../engine.js';

/** `flag`: the command line, the library. */
export type SettingsSource = 'managed' | 'flag' | 'local' | 'project' | 'user';

export type SettingsReport = {
  /** What counts, values of variables and what looks secret masked. */
  readonly effective: Readonly<Record<string, unknown>>;
  /** What counts of each file, highest first. */
  readonly sources: readonly {
    readonly source: SettingsSource;
    readonly file: string;
    readonly settings: Readonly<Record<string, unknown>>;
  }[];
  /** What the session uses now; it may have been chosen since. */
  readonly model: string;
  readonly effort: string | undefined;
};

export type RuleReport = {
  readonly behavior: SourcedRule['behavior'];
  readonly rule: string;
  /** `session`: the person's answers. */
  readonly source: SettingsSource | 'session';
};

export type RulesReport = {
  readonly rules: readonly RuleReport[];
  /** Beside the working folder. */
  readonly folders: readonly { readonly path: string; readonly source: SettingsSource }[];
};

/** As they are now in the files; what the session took up when it was opened may be older. */
export async function reportSettings({ parts, model, facts }: Engine): Promise<SettingsReported> {
  const config = await parts.config.readAgain();
  if (!config.ok) return { ok: false, reason: config.reason };
  const { settings, layers } = config.settings;
  const report: SettingsReport = {
    effective: maskSettings(settings),
    sources: layers
      .filter(({ settings: one }) => Object.values(one).some((value) => !isEmpty(value)))
      .map(({ origin, settings: one }) => ({
        source: sourceOf(origin),
        file: origin.file,
        settings: maskSettings(one),
      })),
    model,
    effort: facts.effort,
  };
  return { ok: true, settings: report };
}

export async function reportRules({ parts, runtime }: Engine): Promise<RulesReported> {
  const { settings } = parts.config;
  const { answered, added } = runtime.ports.gate.laterRules();
  const rules: readonly RuleReport[] = [
    ...[...settings.rules, ...added].map(({ behavior, rule, origin }) => ({
      behavior,
      rule,
      source: sourceOf(origin),
    })),
    ...answered.map((rule) => ({ behavior: 'allow', rule, source: 'session' }) as const),
  ];
  const folders = settings.additionalDirectories.map(({ path, origin }) => ({ path, source: sourceOf(origin) }));
  return { ok: true, rules: { rules, folders } };
}

function sourceOf({ scope }: Origin): SettingsSource {
  return scope === 'command line' ? 'flag' : scope;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
