/** Writes your settings for a client, and applies at once what can be. */

import { isDeepStrictEqual } from 'node:util';
import { formatProblem } from '../../config/problem.js';
import { changeLocalSettings, changeUserSettings } from '../../config/settings/change-settings-file.js';
import { checkSettingsValue } from '../../config/settings/check-settings.js';
import type { SourcedRule } from '../../config/settings/collect-sources.js';
import type { SettingsResult } from '../../config/settings/read-settings.js';
import {
  getSetting,
  SETTING_ALIASES,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
} from '../../config/settings/settings-table.js';
import { refuseRules } from '../../gate/session-rules.js';
import type { CommandOf } from '../../protocol/commands.js';
import { isObject, type JsonObject, objectOf } from '../../protocol/json/json-values.js';
import type { ChangedSettings } from '../commands/command-results.js';
import type { Engine } from '../engine.js';
import { uiSettings } from './ui-settings.js';

/** A null value removes the key from the file; objects are merged, lists replaced. */
export async function changeSettings(
  engine: Engine,
  { source, settings }: CommandOf<'change-settings'>,
): Promise<ChangedSettings> {
  const { parts, runtime } = engine;
  const refusal = refuse(engine, source, settings);
  if (refusal !== undefined) return { ok: false, reason: refusal };
  const given = withOurNames(settings);
  const change = {
    change: (content: JsonObject) => merge(content, given),
    holds: (content: JsonObject) => isDeepStrictEqual(merge(content, given), content),
  };
  const saved =
    source === 'user'
      ? await changeUserSettings(runtime.host, change)
      : await changeLocalSettings(runtime.host, parts.config.projectRoot, change);
  if (!saved.ok) return saved;
  const names = namesIn(given);
  const now = await parts.config.readAgain();
  // It is written; a mistake elsewhere prevents only the immediate effect.
  const applied = now.ok ? await applyNow(engine, now.settings, { given, names }) : [];
  return { ok: true, applied, later: names.filter((name) => !applied.includes(name)) };
}

function refuse({ parts }: Engine, source: unknown, settings: unknown): string | undefined {
  if (source !== 'user' && source !== 'local') return `unknown source ${String(source)}: use user or local`;
  if (!isObject(settings) || Object.keys(settings).length === 0) return 'no settings given';
  const { options, trusted } = parts.config;
  const { settingSources } = options;
  if (settingSources !== undefined && !settingSources.includes(source)) {
    return `the session does not read the ${source} settings (setting sources: ${settingSources.join(', ') || 'none'})`;
  }
  const given = withOurNames(settings);
  const values = withoutNull(given);
  const { problems, unknown, unsupported } = checkSettingsValue(values, 'settings');
  const wrong = problems.filter(({ severity }) => severity === 'error');
  if (wrong.length > 0) return wrong.map(formatProblem).join('\n');
  const unsafe = refuseRules(rulesOf(values), { projectRoot: parts.config.projectRoot, trusted: true });
  if (unsafe !== undefined) return unsafe;
  const names = namesIn(given);
  const strange = [...unknown, ...unsupported, ...names.filter((name) => !SETTING_NAMES.includes(name))];
  if (strange.length > 0) return `these settings have no effect here: ${[...new Set(strange)].join(', ')}`;
  if (source === 'user') return undefined;
  const never = names.filter((name) => SETTINGS[name].project === 'never');
  if (never.length > 0) return `not allowed in local settings: ${never.join(', ')} (use the user settings)`;
  const untrusted = trusted ? [] : names.filter((name) => SETTINGS[name].project === 'trusted');
  if (untrusted.length === 0) return undefined;
  return `the folder is not trusted, so these would be ignored: ${untrusted.join(', ')} (run coppice trust first)`;
}

function rulesOf({ permissions }: JsonObject): readonly SourcedRule[] {
  const origin = { scope: 'user', file: 'settings', folder: '/' } as const;
  return (['deny', 'ask'] as const).flatMap((behavior) => {
    const listed = objectOf(permissions)[behavior];
    return Array.isArray(listed) ? listed.map((rule) => ({ behavior, rule: String(rule), origin })) : [];
  });
}

/**
 * Applies model, effort, new rules and screen settings. Returns the names of those in effect now; another file may
 * override this one.
 */
async function applyNow(
  engine: Engine,
  now: SettingsResult,
  { given, names }: { readonly given: JsonObject; readonly names: readonly SettingName[] },
): Promise<readonly SettingName[]> {
  const { parts, runtime } = engine;
  const { options, settings } = parts.config;
  const before = [...settings.rules, ...runtime.ports.gate.laterRules().added];
  const done: SettingName[] = [];
  engine.ui = uiSettings(now.settings);
  done.push(...UI_NAMES.filter((name) => names.includes(name)));
  const { model, effort } = now.settings;
  const isChosen = options.model !== undefined || runtime.host.env.ANTHROPIC_MODEL !== undefined;
  if (model !== undefined && model === given.model && !isChosen) {
    if ((await engine.choose({ model })) === undefined) done.push('model');
  }
  if (effort !== undefined && effort === given.effort && options.effort === undefined) {
    if ((await engine.choose({ effort })) === undefined) done.push('effort');
  }
  for (const behavior of ['allow', 'ask', 'deny'] as const) {
    const name = `permissions.${behavior}` as const;
    if (!names.includes(name)) continue;
    const of = (rules: readonly SourcedRule[]) => rules.filter((rule) => rule.behavior === behavior);
    const has = (rules: readonly SourcedRule[], one: SourcedRule) => rules.some(({ rule }) => rule === one.rule);
    runtime.ports.gate.addRules(of(now.rules).filter((rule) => !has(of(before), rule)));
    // A removed rule applies until the session ends.
    if (of(before).every((rule) => has(of(now.rules), rule))) done.push(name);
  }
  return done;
}

const UI_NAMES = ['theme', 'notify', 'editorMode', 'agentsWarnAt'] as const satisfies readonly SettingName[];

/** `effortLevel` is our `effort`. */
function withOurNames(settings: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(settings).map(([key, value]) => [SETTING_ALIASES[key] ?? key, value]));
}

function merge(content: JsonObject, settings: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...content };
  for (const [key, value] of Object.entries(settings)) {
    if (value === null) delete merged[key];
    else merged[key] = isObject(value) ? merge(objectOf(merged[key]), value) : value;
  }
  return merged;
}

function withoutNull(settings: JsonObject): JsonObject {
  return merge({}, settings);
}

/** The names of settings that are set or removed. An unknown name is returned as it is. */
function namesIn(settings: JsonObject): readonly SettingName[] {
  return Object.entries(settings).flatMap(([key, value]): readonly SettingName[] => {
    if (SETTING_NAMES.includes(key as SettingName) || !isObject(value)) return [key as SettingName];
    const inner = SETTING_NAMES.filter(
      (name) => name.startsWith(`${key}.`) && getSetting(settings, name) !== undefined,
    );
    return inner.length > 0 ? inner : [key as SettingName];
  });
}
