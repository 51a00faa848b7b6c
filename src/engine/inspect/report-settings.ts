/** The settings and permission rules of a session, for clients. Secrets are masked. */

import { maskSettings } from '../../config/settings/mask-settings.js';
import type { Origin } from '../../config/settings/merge-settings.js';
import { describeRule } from '../../gate/permissions/rules/describe-rule.js';
import { isEmpty } from '../../protocol/json/json-values.js';
import type { RuleBehavior } from '../../protocol/permission.js';
import type { RulesReported, SettingsReported } from '../commands/command-results.js';
import type { Engine } from '../engine.js';
import type { RuleReport, SettingsReport, SettingsSource } from './reports.js';

/** As they are in the files now; the session may use older ones. */
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
      ...effectOf(behavior, rule),
    })),
    ...answered.map((rule) => ({ behavior: 'allow', rule, source: 'session', ...effectOf('allow', rule) }) as const),
  ];
  const folders = settings.additionalDirectories.map(({ path, origin }) => ({ path, source: sourceOf(origin) }));
  return { ok: true, rules: { rules, folders } };
}

function effectOf(behavior: RuleBehavior, rule: string): Pick<RuleReport, 'effect'> {
  const effect = behavior === 'allow' ? describeRule(rule) : undefined;
  return effect === undefined ? {} : { effect };
}

function sourceOf({ scope }: Origin): SettingsSource {
  return scope === 'command line' ? 'flag' : scope;
}
